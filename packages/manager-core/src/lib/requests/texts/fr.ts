import type { MailTexts } from '../mails.js'

export const fr: MailTexts = {
  confirm: {
    subject: 'Veuillez confirmer votre demande de l’instance « {name} »',
    text: `Bonjour{who},

une instance « {name} » (version {version}) a été demandée avec cette adresse sur {manager}.

Si c’était vous, ouvrez cette page avant le {until} et appuyez sur le bouton :

{link}

Sinon, vous n’avez rien à faire : sans ce bouton rien ne se passe, et la demande est oubliée.
`,
  },
  approved: {
    subject: 'Votre instance « {name} » est prête',
    text: `Bonjour{who},

votre instance « {name} » (version {version}) est prête :

{address}

Le mot de passe de votre première connexion vous est donné par {support}.
`,
  },
  rejected: {
    subject: 'Votre demande de l’instance « {name} »',
    text: `Bonjour{who},

votre demande d’une instance « {name} » n’a pas été acceptée.{reason}

Pour toute question, écrivez à {support}.
`,
  },
}
