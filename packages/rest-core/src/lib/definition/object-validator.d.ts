/** `schema/object.json` as the build compiles it, see "imports" of package.json. */
declare module '#object-validator' {
  import type { ValidateFunction } from 'ajv/dist/2020.js'

  const validate: ValidateFunction
  export default validate
}
