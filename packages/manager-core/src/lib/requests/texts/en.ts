import type { MailTexts } from './mail-texts.js'

export const en: MailTexts = {
  confirm: {
    subject: 'Please confirm that you want the instance "{name}"',
    text: `Hello{who},

with this address somebody asked for an instance "{name}" (version {version}) at {manager}.

If it was you, please open this page before {until} and press the button there:

{link}

If it was not you, you need not do anything: without the button nothing happens, and the request is forgotten.
`,
  },
  approved: {
    subject: 'Your instance "{name}" is there',
    text: `Hello{who},

your instance "{name}" (version {version}) is there:

{address}

Choose the password of its administrator "{login}" here, before {until}:

{link}

This link works once. Keep it to yourself until then. With questions, please write to {support}.
`,
  },
  password: {
    subject: 'Choose the password of your instance "{name}"',
    text: `Hello{who},

choose the password of the administrator "{login}" of your instance "{name}" here, before {until}:

{link}

This link works once, and links that you got before do not work any more. With questions, please write to {support}.
`,
  },
  rejected: {
    subject: 'Your request for the instance "{name}"',
    text: `Hello{who},

your request for an instance "{name}" was not granted.{reason}

With questions, please write to {support}.
`,
  },
}
