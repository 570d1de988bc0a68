import type { MailTexts } from './mail-texts.js'

export const de: MailTexts = {
  confirm: {
    subject: 'Bitte bestätigen Sie Ihre Anfrage für die Instanz „{name}“',
    text: `Guten Tag{who},

mit dieser Adresse wurde auf {manager} eine Instanz „{name}“ (Version {version}) angefragt.

Wenn Sie das waren, öffnen Sie bitte vor dem {until} diese Seite und drücken Sie die Schaltfläche:

{link}

Wenn nicht, müssen Sie nichts tun: Die Anfrage wird gelöscht.
`,
  },
  approved: {
    subject: 'Ihre Instanz „{name}“ ist bereit',
    text: `Guten Tag{who},

Ihre Instanz „{name}“ (Version {version}) ist bereit:

{address}

Wählen Sie hier vor dem {until} das Passwort ihres Administrators „{login}“:

{link}

Dieser Link funktioniert nur einmal. Behalten Sie ihn bis dahin für sich. Bei Fragen schreiben Sie bitte an {support}.
`,
  },
  password: {
    subject: 'Wählen Sie das Passwort Ihrer Instanz „{name}“',
    text: `Guten Tag{who},

wählen Sie hier vor dem {until} das Passwort des Administrators „{login}“ Ihrer Instanz „{name}“:

{link}

Dieser Link funktioniert nur einmal, und frühere Links funktionieren nicht mehr. Bei Fragen schreiben Sie bitte an {support}.
`,
  },
  rejected: {
    subject: 'Ihre Anfrage für die Instanz „{name}“',
    text: `Guten Tag{who},

Ihre Anfrage für eine Instanz „{name}“ wurde abgelehnt.{reason}

Bei Fragen schreiben Sie bitte an {support}.
`,
  },
}
