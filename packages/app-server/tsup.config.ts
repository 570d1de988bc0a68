import { packageConfig } from '../../tsup.base.js'
import { appSchema } from './src/lib/app-schema.js'

export default packageConfig({ validators: { 'app-schema.validate.js': appSchema } })
