import type { MailTexts } from '../mails.js'

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

You get the password of your first log-in from {support}.
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
