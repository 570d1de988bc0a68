export { isSecretName } from './lib/domain/secret-names.js'
