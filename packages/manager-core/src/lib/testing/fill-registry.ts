import { openRegistry } from '../store/registry.js'
import { testInstance } from './made-up-operation.js'

// Opens a registry that may not be there yet and inserts instances, one by one.
const [file, first, count] = JSON.parse(process.argv[2] as string) as [string, number, number]
const registry = openRegistry({ file })
for (let n = first; n < first + count; n++)
  registry.transaction((writer) => {
    const before = registry.count()
    writer.insertInstance(testInstance({ id: `i${n}`, name: `name${n}`, port: 10_000 + before }))
  })
registry.close()
