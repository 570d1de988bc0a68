import type { Texts } from '@steward/page-kit/text'

export const common = {
  'button.refresh': 'Refresh',
  'button.save': 'Save',
  'button.change': 'Change',
  'off.terminal': 'The terminal is off',
  'off.register': 'Self-registration is off',
  'off.text': 'To turn it on, add this line to config.sh on the server:',
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
