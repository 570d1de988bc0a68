import { packageConfig } from '../../tsup.base.js'

// The pages are built beside it, by Vite.
export default { ...packageConfig(), clean: ['!ui/**'] }
