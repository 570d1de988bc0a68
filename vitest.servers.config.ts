import { configFor } from './tests/tiers.js'

export default configFor('servers')
