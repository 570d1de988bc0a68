import { describe, expect, it } from 'vitest'
import { isConnectionLoss, translateError } from './errors.js'

/** An error as oracledb makes it of what the server sent, or of its own. */
function failure(code: string, text: string): Error {
  const number = /^ORA-(\d+)$/.exec(code)?.[1]
  return Object.assign(new Error(`${code}: ${text}`), {
    code,
    ...(number !== undefined && { errorNum: Number(number) }),
  })
}

const cases: readonly (readonly [code: string, expected: string, text: string, lost?: boolean])[] = [
  ['ORA-00001', 'unique', 'unique constraint (APP.stw_key_region_reg_code) violated'],
  ['ORA-02291', 'reference', 'integrity constraint (APP.stw_fk_note_item) violated - parent key not found'],
  ['ORA-02292', 'reference', 'integrity constraint (APP.stw_fk_note_item) violated - child record found'],
  ['ORA-01400', 'value', 'cannot insert NULL into ("APP"."region"."reg_code")'],
  ['ORA-01438', 'value', 'value larger than specified precision allowed for this column'],
  ['ORA-01722', 'value', 'invalid number'],
  ['ORA-01861', 'value', 'literal does not match format string'],
  ['ORA-02290', 'value', 'check constraint (APP.POSITIVE) violated'],
  ['ORA-12899', 'value', 'value too large for column "APP"."region"."reg_code" (actual: 5, maximum: 4)'],
  ['ORA-00060', 'busy', 'deadlock detected while waiting for resource'],
  ['ORA-00054', 'busy', 'resource busy and acquire with NOWAIT specified or timeout expired'],
  ['ORA-30006', 'busy', 'resource busy; acquire with WAIT timeout expired'],
  ['ORA-08177', 'busy', "can't serialize access for this transaction"],
  ['ORA-00942', 'schema', 'table or view does not exist'],
  ['ORA-00904', 'schema', '"T0"."nothing": invalid identifier'],
  ['ORA-01017', 'unavailable', 'invalid username/password; logon denied'],
  ['ORA-28000', 'unavailable', 'the account is locked'],
  ['ORA-01653', 'unavailable', 'unable to extend table APP.region by 8 in tablespace USERS'],
  ['ORA-16000', 'readOnly', 'database or pluggable database open for read-only access'],
  ['ORA-01031', 'right', 'insufficient privileges'],
  ['ORA-28115', 'right', 'policy with check option violation'],
  ['ORA-42399', 'right', 'cannot perform a DML operation on a read-only view'],
  ['ORA-12081', 'right', 'update operation not allowed on table "APP"."region"'],
  ['ORA-04063', 'broken', 'view "APP.totals" has errors'],
  ['ORA-01402', 'value', 'view WITH CHECK OPTION where-clause violation'],
  ['ORA-04091', 'broken', 'table APP.region is mutating, trigger/function may not see it'],
  ['ORA-06502', 'value', 'PL/SQL: numeric or value error'],
  ['ORA-20001', 'value', 'not on Sundays'],
  ['ORA-01555', 'unavailable', 'snapshot too old'],
  ['ORA-01013', 'timeout', 'user requested cancel of current operation'],
  ['NJS-123', 'timeout', 'call timeout of 100 ms exceeded'],
  ['ORA-03113', 'unavailable', 'end-of-file on communication channel', true],
  ['ORA-03114', 'unavailable', 'not connected to ORACLE', true],
  ['ORA-00028', 'unavailable', 'your session has been killed', true],
  ['ORA-01089', 'unavailable', 'immediate shutdown or close in progress', true],
  ['ORA-12170', 'unavailable', 'TNS:Connect timeout occurred', true],
  ['ORA-12514', 'unavailable', 'TNS:listener does not currently know of service requested', true],
  ['ORA-12541', 'unavailable', 'TNS:no listener', true],
  ['NJS-500', 'unavailable', 'connection to the Oracle Database was broken', true],
  ['NJS-503', 'unavailable', 'connection to host localhost port 1 could not be established', true],
  ['NJS-003', 'unavailable', 'invalid or closed connection', true],
  ['ORA-00600', 'unavailable', 'internal error code', true],
  ['ORA-00933', 'internal', 'SQL command not properly ended'],
  ['NJS-012', 'internal', 'encountered invalid bind data type in parameter 1'],
]

describe('translateError()', () => {
  for (const [code, expected, text, lost = false] of cases) {
    it(`${code} ${text} → ${expected}`, () => {
      const cause = failure(code, text)
      const error = translateError(cause)
      expect(error).toMatchObject({
        code: expected,
        cause,
        retry: ['unavailable', 'busy', 'readOnly'].includes(expected),
      })
      expect(isConnectionLoss(cause)).toBe(lost)
    })
  }

  it('says which constraint, and which column', () => {
    expect(translateError(failure('ORA-00001', cases[0]![2])).refusal).toMatchObject({
      constraint: 'stw_key_region_reg_code',
    })
    expect(translateError(failure('ORA-02290', 'check constraint (APP.POSITIVE) violated')).refusal).toMatchObject({
      why: 'check',
      constraint: 'POSITIVE',
    })
    const long = 'value too large for column "APP"."region"."reg_code" (actual: 5, maximum: 4)'
    expect(translateError(failure('ORA-12899', long)).refusal).toMatchObject({ why: 'length', columns: ['reg_code'] })
  })

  it('gives the reason of a transaction that was undone at its end', () => {
    const text = 'transaction rolled back\nORA-02291: integrity constraint (APP.FK) violated - parent key not found'
    expect(translateError(failure('ORA-02091', text))).toMatchObject({
      code: 'reference',
      refusal: { constraint: 'FK' },
    })
  })

  it('a deadlock is worth a repetition of the transaction', () => {
    expect(translateError(failure('ORA-00060', 'deadlock detected')).repeatable).toBe(true)
  })
})
