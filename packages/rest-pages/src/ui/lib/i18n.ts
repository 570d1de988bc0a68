import { createTexts } from '@steward/page-kit/texts'
import { de } from '../texts/de.js'
import { en } from '../texts/en.js'
import { fr } from '../texts/fr.js'

export const { t } = createTexts<keyof typeof en>({ en, fr, de })
