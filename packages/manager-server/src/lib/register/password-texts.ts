import type { RequestLanguage } from '@steward/manager-core'

/** What is wrong with a password. */
export type PasswordFault =
  | { readonly why: 'short'; readonly least: number }
  | { readonly why: 'different' | 'missing' | 'long' | 'refused' }

/** Outcomes that have a page of their own. */
export type PasswordTold = 'set' | 'used' | 'expired' | 'gone' | 'changed' | 'silent' | 'sent' | 'tooMany'

/** Texts of the pages on which people choose the password of their instance; `{…}` are values. */
interface PasswordTexts extends Readonly<Record<Exclude<PasswordTold, 'tooMany'>, PageText>> {
  readonly start: PageText & { readonly code: string; readonly codeHint: string; readonly submit: string }
  readonly choose: PageText & {
    readonly password: string
    readonly again: string
    readonly submit: string
    readonly faults: Readonly<Record<PasswordFault['why'], string>>
  }
  readonly set: PageText & { readonly open: string }
  readonly expired: PageText & { readonly again: string }
  readonly silent: PageText & { readonly again: string }
}

interface PageText {
  readonly title: string
  readonly text: string
}

const en: PasswordTexts = {
  start: {
    title: 'Choose your password',
    text: 'With the link of your mail you choose the password of your instance. It works once.',
    code: 'Link from the mail',
    codeHint: 'Copy the whole link from the mail and paste it here.',
    submit: 'Continue',
  },
  choose: {
    title: 'Choose your password',
    text: 'It is for the administrator of your instance “{name}”. No one else knows it.',
    password: 'Password',
    again: 'The same password again',
    submit: 'Set the password',
    faults: {
      different: 'The two passwords are different. Please type them again.',
      missing: 'Please choose a password.',
      long: 'This password is too long. 200 characters are enough.',
      short: 'This password is too short. It needs at least {least} characters.',
      refused: 'Your instance does not accept this password. Please choose another one.',
    },
  },
  set: {
    title: 'Your password is set',
    text: 'You can now log in to your instance with it. The link in your mail no longer works.',
    open: 'Open your instance',
  },
  used: {
    title: 'This link was used already',
    text:
      'A password was set with it. If that was not you, write to {support} immediately. If you forgot your ' +
      'password, ask there for another link.',
  },
  expired: {
    title: 'This link has expired',
    text: 'We can send another one to the address that your request was made with.',
    again: 'Send me another link',
  },
  gone: {
    title: 'This link is not valid',
    text:
      'It may be incomplete: copy the whole link from the mail. If you got several mails, use the latest one. ' +
      'Otherwise write to {support}.',
  },
  changed: {
    title: 'The password was changed already',
    text: 'Your instance has another password than the first one, so this link cannot set it. Write to {support} if you do not know it.',
  },
  silent: {
    title: 'Your instance does not answer at the moment',
    text: 'Your password was not set, and your link still works. Please try again in a few minutes, or write to {support}.',
    again: 'Try again',
  },
  sent: { title: 'Please check your mailbox', text: 'We have sent you a new link. Only the latest one works.' },
}

const fr: PasswordTexts = {
  start: {
    title: 'Choisissez votre mot de passe',
    text: 'Le lien de votre courriel vous permet de choisir le mot de passe de votre instance. Il ne fonctionne qu’une fois.',
    code: 'Lien du courriel',
    codeHint: 'Copiez le lien entier du courriel et collez-le ici.',
    submit: 'Continuer',
  },
  choose: {
    title: 'Choisissez votre mot de passe',
    text: 'C’est celui de l’administrateur de votre instance « {name} ». Vous seul le connaissez.',
    password: 'Mot de passe',
    again: 'Le même mot de passe, une seconde fois',
    submit: 'Enregistrer le mot de passe',
    faults: {
      different: 'Les deux mots de passe sont différents. Veuillez les saisir à nouveau.',
      missing: 'Veuillez choisir un mot de passe.',
      long: 'Ce mot de passe est trop long. 200 caractères suffisent.',
      short: 'Ce mot de passe est trop court. Il doit comporter au moins {least} caractères.',
      refused: 'Votre instance n’accepte pas ce mot de passe. Veuillez en choisir un autre.',
    },
  },
  set: {
    title: 'Votre mot de passe est enregistré',
    text: 'Connectez-vous à votre instance avec ce mot de passe. Le lien de votre courriel ne fonctionne plus.',
    open: 'Ouvrir votre instance',
  },
  used: {
    title: 'Ce lien a déjà servi',
    text: 'Un mot de passe a été enregistré avec ce lien. Si ce n’était pas vous, écrivez sans attendre à {support}. Si vous avez oublié votre mot de passe, demandez-y un autre lien.',
  },
  expired: {
    title: 'Ce lien a expiré',
    text: 'Nous pouvons en envoyer un autre à l’adresse de votre demande.',
    again: 'M’envoyer un autre lien',
  },
  gone: {
    title: 'Ce lien n’est pas valable',
    text: 'Il a peut-être été coupé en chemin : copiez le lien entier du courriel. Si vous avez reçu plusieurs courriels, utilisez le plus récent. Sinon, écrivez à {support}.',
  },
  changed: {
    title: 'Le mot de passe a déjà été changé',
    text: 'Votre instance n’a plus son premier mot de passe, ce lien ne peut donc pas le changer. Écrivez à {support} si vous ne le connaissez pas.',
  },
  silent: {
    title: 'Votre instance ne répond pas en ce moment',
    text: 'Votre mot de passe n’a pas été enregistré, et votre lien fonctionne encore. Réessayez dans quelques minutes, ou écrivez à {support}.',
    again: 'Réessayer',
  },
  sent: {
    title: 'Consultez votre messagerie',
    text: 'Nous vous avons envoyé un autre lien. Seul le plus récent fonctionne.',
  },
}

const de: PasswordTexts = {
  start: {
    title: 'Wählen Sie Ihr Passwort',
    text: 'Mit dem Link aus Ihrer E-Mail wählen Sie das Passwort Ihrer Instanz. Er funktioniert nur einmal.',
    code: 'Link aus der E-Mail',
    codeHint: 'Kopieren Sie den ganzen Link aus der E-Mail und fügen Sie ihn hier ein.',
    submit: 'Weiter',
  },
  choose: {
    title: 'Wählen Sie Ihr Passwort',
    text: 'Es ist das Passwort des Administrators Ihrer Instanz „{name}“. Nur Sie kennen es.',
    password: 'Passwort',
    again: 'Dasselbe Passwort noch einmal',
    submit: 'Passwort festlegen',
    faults: {
      different: 'Die beiden Passwörter sind verschieden. Bitte geben Sie sie noch einmal ein.',
      missing: 'Bitte wählen Sie ein Passwort.',
      long: 'Dieses Passwort ist zu lang. 200 Zeichen genügen.',
      short: 'Dieses Passwort ist zu kurz. Es braucht mindestens {least} Zeichen.',
      refused: 'Ihre Instanz nimmt dieses Passwort nicht an. Bitte wählen Sie ein anderes.',
    },
  },
  set: {
    title: 'Ihr Passwort ist festgelegt',
    text: 'Sie können sich jetzt damit bei Ihrer Instanz anmelden. Der Link in Ihrer E-Mail funktioniert nicht mehr.',
    open: 'Instanz öffnen',
  },
  used: {
    title: 'Dieser Link wurde schon verwendet',
    text: 'Mit ihm wurde ein Passwort festgelegt. Wenn Sie das nicht waren, schreiben Sie sofort an {support}. Wenn Sie Ihr Passwort vergessen haben, bitten Sie dort um einen neuen Link.',
  },
  expired: {
    title: 'Dieser Link ist abgelaufen',
    text: 'Wir können einen neuen an die Adresse Ihrer Anfrage senden.',
    again: 'Neuen Link senden',
  },
  gone: {
    title: 'Dieser Link ist nicht gültig',
    text: 'Er ist vielleicht unvollständig: Kopieren Sie den ganzen Link aus der E-Mail. Wenn Sie mehrere E-Mails erhalten haben, verwenden Sie die neueste. Sonst schreiben Sie an {support}.',
  },
  changed: {
    title: 'Das Passwort wurde schon geändert',
    text: 'Ihre Instanz hat nicht mehr ihr erstes Passwort, daher kann dieser Link es nicht ändern. Wenn Sie es nicht kennen, schreiben Sie an {support}.',
  },
  silent: {
    title: 'Ihre Instanz antwortet zurzeit nicht',
    text: 'Ihr Passwort wurde nicht festgelegt, und Ihr Link gilt weiterhin. Versuchen Sie es in einigen Minuten erneut, oder schreiben Sie an {support}.',
    again: 'Erneut versuchen',
  },
  sent: {
    title: 'Bitte sehen Sie in Ihr Postfach',
    text: 'Wir haben Ihnen einen neuen Link gesendet. Nur der neueste funktioniert.',
  },
}

export const passwordTexts: Readonly<Record<RequestLanguage, PasswordTexts>> = { en, fr, de }
