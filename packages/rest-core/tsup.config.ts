import { readFileSync } from 'node:fs'
import { packageConfig } from '../../tsup.base.js'

const schema = JSON.parse(readFileSync('schema/object.json', 'utf8')) as object

export default packageConfig({ validators: { 'schema/object.validate.js': schema } })
