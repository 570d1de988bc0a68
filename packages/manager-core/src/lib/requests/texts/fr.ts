import type { MailTexts } from './mail-texts.js'

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

Choisissez ici le mot de passe de son administrateur « {login} », avant le {until} :

{link}

Ce lien ne fonctionne qu’une fois ; d’ici là, gardez-le pour vous. Pour toute question, écrivez à {support}.
`,
  },
  password: {
    subject: 'Choisissez le mot de passe de votre instance « {name} »',
    text: `Bonjour{who},

choisissez ici le mot de passe de l’administrateur « {login} » de votre instance « {name} », avant le {until} :

{link}

Ce lien ne fonctionne qu’une fois, et les liens reçus auparavant ne fonctionnent plus. Pour toute question, écrivez à {support}.
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
