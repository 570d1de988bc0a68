import { pagesConfig } from '../../vite.base.js'

export default pagesConfig({ installable: true })
