import type { Texts } from '@steward/page-kit/text'

export const common = {
  'button.refresh': 'Refresh',
  'failure.network': 'The server does not answer.',
  'failure.output': 'Output',
  'failure.command': 'On the server, run:',
  'status.started': 'Running',
  'status.starting': 'Starting',
  'status.degraded': 'Degraded',
  'status.stopped': 'Stopped',
  'status.crashed': 'Crashed',
  'status.asleep': 'Asleep',
  'status.suspended': 'Paused',
  'status.unknown': 'Unknown',
} as const satisfies Texts
