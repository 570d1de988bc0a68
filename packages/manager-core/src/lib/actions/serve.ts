import { ManagerError } from '../../errors.js'
import { isolationWarnings } from '../accounts/why-not.js'
import { isAlone } from '../store/registry.js'
import { defineAction } from './define-action.js'

export const serveAction = defineAction({
  name: 'serve',
  group: 'Manager',
  summary: 'Run the server: API, web pages, monitoring',
  description:
    'The API is at /api and the pages at /ui, below APPS_BASEURL. Runs until Ctrl-C or SIGTERM; operations run ' +
    'in their own processes and continue. Listens on this machine only, on the port of APPS_BASEURL, unless ' +
    'APPS_LISTEN or --listen gives another address; then APPS_PASSWORD is required.',
  options: [{ name: 'listen', type: 'text', summary: 'Address and port, e.g. 127.0.0.1:8000' }],
  ability: 'admin',
  mutating: false,
  keepsRunning: true,
  changesOutside: () => true,
  surfaces: ['cli'],
  examples: ['serve', 'serve --listen 0.0.0.0:8000'],
  view: { type: 'text' },
  async handler({ context, input }) {
    if (isAlone(context.registry))
      throw new ManagerError(
        'ERR_DISK',
        'The disk is full, and the server would block every other command from the registry.',
      )
    const warnings = isolationWarnings(context)
    return {
      ...(warnings.length > 0 && { warnings }),
      message: `Server of ${context.home.folder}`,
      server: input.listen === undefined ? {} : { listen: input.listen },
    }
  },
})
