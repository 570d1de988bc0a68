import { createTexts } from './texts.js'

/** Texts of the components. */
export const { t } = createTexts({ en: {}, fr: {}, de: {} })
