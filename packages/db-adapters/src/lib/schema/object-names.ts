/** Most characters of a name in a definition. */
const longest = 63

/** A name for an object: the table's in PascalCase, e.g. `order_items` gives `OrderItems`. */
export function objectName(table: string): string {
  const pascal = words(table)
    .map((word) => word[0]?.toUpperCase() + (word === word.toUpperCase() ? word.slice(1).toLowerCase() : word.slice(1)))
    .join('')
  return started(pascal, 'Table').slice(0, longest)
}

/** A name for a field: the column's in snake case, e.g. `OrderDate` gives `order_date`. */
export function fieldName(column: string): string {
  return started(words(column).join('_').toLowerCase(), 'column_').slice(0, longest).replace(/_$/, '')
}

/** Letters and digits in groups, as separators and capitals show them; accents are dropped, other scripts have no letters here. */
function words(name: string): string[] {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.match(/[A-Z]+(?![a-z])[0-9]*|[A-Za-z]?[a-z]+[0-9]*|[0-9]+|[A-Z]/g) ?? []
}

function started(name: string, start: string): string {
  return /^[A-Za-z]/.test(name) ? name : `${start}${name}`
}

/** Gives each name once, without regard to case: `name`, `name2` or `name_2`, … */
export function uniqueNames(reserved: Iterable<string>, separator: string): (name: string) => string {
  const used = new Set([...reserved].map((name) => name.toLowerCase()))
  return (name) => {
    let free = name
    for (let n = 2; used.has(free.toLowerCase()); n += 1) {
      const end = `${separator}${n}`
      free = name.slice(0, longest - end.length) + end
    }
    used.add(free.toLowerCase())
    return free
  }
}
