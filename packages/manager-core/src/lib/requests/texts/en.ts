import type { MailTexts } from './mail-texts.js'

export const en: MailTexts = {
  confirm: {
    subject: 'Please confirm that you want the instance "{name}"',
    text: `Hello{who},

an instance "{name}" (version {version}) was requested at {manager} with this address.

If it was you, please open this page before {until} and press the button:

{link}

If it was not you, you can ignore this mail: the request will be deleted.
`,
  },
  approved: {
    subject: 'Your instance "{name}" is ready',
    text: `Hello{who},

your instance "{name}" (version {version}) is ready:

{address}

Choose the password of its administrator "{login}" here, before {until}:

{link}

This link works once. Keep it to yourself until then. If you have questions, please write to {support}.
`,
  },
  password: {
    subject: 'Choose the password of your instance "{name}"',
    text: `Hello{who},

choose the password of the administrator "{login}" of your instance "{name}" here, before {until}:

{link}

This link works once, and earlier links no longer work. If you have questions, please write to {support}.
`,
  },
  rejected: {
    subject: 'Your request for the instance "{name}"',
    text: `Hello{who},

your request for an instance "{name}" was rejected.{reason}

If you have questions, please write to {support}.
`,
  },
}
