import { giveTo } from './as-user.js'
import { makeFolder } from './folders.js'
import { run } from './programs.js'

/** Makes the data of a server that holds nothing yet, in `<folder>/data`. */
type MakeData = (folder: string) => Promise<void>

const variableOf = (product: string) => `TEST_TEMPLATE_${product.toUpperCase()}`

/** Makes data once for a whole run of tests: copying them takes a tenth of making them. */
export async function makeTemplate(product: string, user: string, make: MakeData): Promise<void> {
  const folder = await makeFolder(`template-${product}`)
  await giveTo(user, folder)
  await make(folder)
  process.env[variableOf(product)] = folder
}

/** Copies what {@link makeTemplate} has made; makes it first where it is missing. */
export async function copyTemplate(product: string, folder: string, make: MakeData): Promise<void> {
  const template = process.env[variableOf(product)]
  await (template === undefined ? make(folder) : run(['cp', '-a', `${template}/data`, folder]))
}
