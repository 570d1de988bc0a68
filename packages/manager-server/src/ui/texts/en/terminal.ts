import type { Texts } from '@steward/page-kit/text'

export const terminal = {
  'terminal.title': 'Terminal',
  'terminal.titleOf': 'Terminal of {name}',
  'terminal.input': 'Input of the terminal',
  'terminal.is.connecting': 'Connecting',
  'terminal.is.open': 'Open',
  'terminal.is.ended': 'Closed',
  'terminal.is.failed': 'Not possible',
  'terminal.readOut': 'Read out',
  'terminal.again': 'Open again',
  'terminal.close': 'Close',
  'terminal.end.over': 'The shell has ended.',
  'terminal.end.idle': 'It was closed because nothing was typed for long.',
  'terminal.end.max': 'It was closed because it was open for too long.',
  'terminal.end.server': 'It was closed because the server was stopped.',
  'terminal.end.lost': 'The connection was lost, and the shell was ended.',
  'terminal.about':
    'Who opens a terminal, when and from where, is in the history. Ctrl+Shift+L leaves it for the page, Ctrl+Shift+C copies what is selected.',
} as const satisfies Texts
