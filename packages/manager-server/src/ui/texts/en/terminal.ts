import type { Texts } from '@steward/page-kit/text'

export const terminal = {
  'terminal.title': 'Terminal',
  'terminal.titleOf': 'Terminal of {name}',
  'terminal.input': 'Terminal input',
  'terminal.is.connecting': 'Connecting',
  'terminal.is.open': 'Open',
  'terminal.is.ended': 'Closed',
  'terminal.is.failed': 'Failed',
  'terminal.readOut': 'Screen reader mode',
  'terminal.again': 'Reconnect',
  'terminal.close': 'Close',
  'terminal.end.over': 'The shell has ended.',
  'terminal.end.idle': 'Closed because nothing was typed for too long.',
  'terminal.end.max': 'Closed because it was open for too long.',
  'terminal.end.signedOut': 'Closed because you are no longer signed in.',
  'terminal.end.server': 'Closed because the server was stopped.',
  'terminal.end.lost': 'The connection was lost, so the shell was ended.',
  'terminal.about':
    'The history records who opens a terminal, when, and from where. Ctrl+Shift+L moves the focus to the page, Ctrl+Shift+C copies the selection.',
} as const satisfies Texts
