/** The contract of `Authenticator` as tests for vitest. */
export { testAuthenticator, type AuthenticatorUnderTest } from './lib/testing/test-authenticator.js'
