import type { SchemaConnection } from '../../schema/connection.js'
import { flag, text } from '../../schema/rows.js'
import { TableFacts } from '../../sql/facts.js'

/**
 * Columns of tables that are not the server's, with what their indexes want. A collation sorts by code point when it is "C"
 * by whatever name; `to_jsonb` because older servers have no column for the provider. Bits of `indoption`: 1 descending,
 * 2 NULLs first; an index is read backwards as well.
 */
const sql = `
  select case when pg_table_is_visible(c.oid) then c.relname::text else n.nspname || '.' || c.relname end as "table",
    a.attname::text as "column", a.attnotnull as required,
    a.attnotnull and coalesce(bool_or(o.option in (0, 3)) and not bool_or(o.option in (1, 2)), false) as plain_order,
    (b.typname = 'uuid' or (b.typname in ('text', 'varchar', 'bpchar', 'name') and by_code_point(l, d))) as by_code_point,
    (b.typname = 'uuid' or
      (b.typname = 'bpchar' and case when t.typtype = 'd' then t.typtypmod else a.atttypmod end <> -1) or
      (b.typtype = 'e' and not exists (select from pg_enum e where e.enumtypid = b.oid and e.enumlabel = ''))) as never_blank,
    b.typname in ('timestamp', 'timestamptz', 'time') and
      case when t.typtype = 'd' then t.typtypmod else a.atttypmod end <> 0 as fraction,
    b.typname = 'float4' as single, b.typname in ('bpchar', 'inet') as cast_differs,
    (b.typname = 'citext' or (b.typname in ('text', 'varchar', 'bpchar') and not l.collisdeterministic)) as folds,
    (b.typname in ('interval', 'numrange') or
      (b.typname = 'bpchar' and case when t.typtype = 'd' then t.typtypmod else a.atttypmod end = -1)) as many_texts,
    coalesce(bool_or(o.trigrams), false) and l.collisdeterministic
      and concat(l.collname, case when l.collname = 'default' then d.datcollate end) !~ '(tr|az)[_-]' as plain_like
  from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname !~ '^(pg_|information_schema$)'
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    join pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
    join pg_database d on d.datname = current_database()
    left join pg_collation l on l.oid = a.attcollation
    left join (
      select i.indrelid, k.number, case when m.amname = 'btree' then k.option end as option,
        p.opcname in ('gin_trgm_ops', 'gist_trgm_ops') as trigrams
      from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam,
        unnest(i.indkey::int2[], i.indoption::int2[], i.indclass::oid[]) as k(number, option, class)
        join pg_opclass p on p.oid = k.class
      where i.indisvalid
    ) o on o.indrelid = c.oid and o.number = a.attnum
  where c.relkind in ('r', 'p', 'm', 'v', 'f')
  group by c.oid, c.relname, n.nspname, a.attname, a.attnotnull, a.atttypmod, b.oid, b.typname, b.typtype, t.typtype, t.typtypmod,
    l.collname, l.collisdeterministic, d.oid`

const codePointNames = `('C', 'POSIX', 'C.UTF-8', 'C.utf8', 'ucs_basic', 'pg_c_utf8')`

/** The collation of the column, or of the database for "default". */
const byCodePoint = `coalesce(l.collname in ${codePointNames} or (l.collname = 'default' and
  coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') <> 'i' and
  coalesce(to_jsonb(d) ->> 'datlocale', d.datcollate) in ${codePointNames}), false)`

const statement = sql.replace('by_code_point(l, d)', byCodePoint)

export async function readFacts(connection: SchemaConnection): Promise<TableFacts> {
  const facts = new TableFacts()
  for (const row of await connection.rows(statement))
    facts.add(text(row, 'table'), text(row, 'column'), {
      required: flag(row, 'required'),
      plainOrder: flag(row, 'plain_order'),
      byCodePoint: flag(row, 'by_code_point'),
      neverBlank: flag(row, 'never_blank'),
      plainLike: flag(row, 'plain_like'),
      fraction: flag(row, 'fraction'),
      single: flag(row, 'single'),
      castDiffers: flag(row, 'cast_differs'),
      folds: flag(row, 'folds'),
      manyTexts: flag(row, 'many_texts'),
    })
  return facts
}
