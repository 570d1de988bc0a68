export { createTestHome } from './lib/testing/test-home.js'
export { testTemplateSource, type TemplateSourceFixture } from './lib/testing/template-source-suite.js'
