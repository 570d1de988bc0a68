import type { Registration, RegistrationFault, RequestLanguage } from '@steward/manager-core'

/** Texts of the public pages; `{…}` are values. */
export interface RegisterTexts {
  readonly title: string
  readonly intro: string
  readonly labels: Readonly<Record<keyof Registration, string>>
  readonly hints: { readonly name: string; readonly email: string }
  readonly required: string
  readonly person: string
  readonly instance: string
  readonly trap: string
  readonly submit: string
  readonly faults: Readonly<Record<RegistrationFault, string>>
  readonly faultsTitle: string
  readonly sent: PageText
  readonly confirm: PageText & { readonly submit: string }
  readonly confirmed: PageText
  readonly gone: PageText & { readonly again: string }
  readonly closed: PageText
  readonly tooMany: PageText
  readonly welcome: { readonly title: string; readonly register: string; readonly logIn: string }
}

interface PageText {
  readonly title: string
  readonly text: string
}

const en: RegisterTexts = {
  title: 'Ask for an instance',
  intro: 'We send you a mail to confirm your address. Then we review your request and send you an answer.',
  labels: {
    name: 'Name of the instance',
    version: 'Version',
    email: 'E-mail address',
    firstname: 'First name',
    lastname: 'Last name',
    phone: 'Phone',
    company: 'Company',
  },
  hints: { name: '3 to 20 letters and digits. Empty: we choose one.', email: 'The link to confirm is sent there.' },
  required: 'required',
  instance: 'Your instance',
  person: 'About you',
  trap: 'Leave this empty',
  submit: 'Send the request',
  faultsTitle: 'Please look at this again:',
  faults: {
    missing: 'This is needed.',
    'no-name': 'A name has 3 to 20 letters and digits, without spaces or accents.',
    taken: 'This name is taken. Please choose another one.',
    'no-version': 'Please choose one of the versions.',
    'no-address': 'Not a valid e-mail address.',
    undeliverable: 'No mail can be sent to this address.',
    'too-long': 'This is too long.',
    invisible: 'This holds characters that cannot be seen.',
  },
  sent: {
    title: 'Please check your mailbox',
    text: 'We have sent you a mail with a link. Your request counts once you have confirmed it there, within three days.',
  },
  confirm: {
    title: 'Confirm your request',
    text: 'You ask for the instance “{name}” (version {version}) with the address {email}.',
    submit: 'Confirm the request',
  },
  confirmed: {
    title: 'Thank you, your request is confirmed',
    text: 'We will review it and send you the answer by mail.',
  },
  gone: {
    title: 'This link is no longer valid',
    text: 'It may be incomplete, or older than three days.',
    again: 'Ask once more',
  },
  closed: { title: 'Requests are not possible at the moment', text: 'Please try again later.' },
  tooMany: { title: 'That was very often', text: 'Please wait a while, and try again then.' },
  welcome: { title: 'Instances', register: 'Ask for an instance', logIn: 'Log in' },
}

const fr: RegisterTexts = {
  title: 'Demander une instance',
  intro:
    'Un courriel vous permet de confirmer votre adresse. Votre demande est ensuite examinée, et vous recevez une réponse.',
  labels: {
    name: 'Nom de l’instance',
    version: 'Version',
    email: 'Adresse électronique',
    firstname: 'Prénom',
    lastname: 'Nom',
    phone: 'Téléphone',
    company: 'Société',
  },
  hints: {
    name: 'De 3 à 20 lettres et chiffres. Vide : nous en choisissons un.',
    email: 'Le lien de confirmation y est envoyé.',
  },
  required: 'obligatoire',
  instance: 'Votre instance',
  person: 'Vous',
  trap: 'Laissez ce champ vide',
  submit: 'Envoyer la demande',
  faultsTitle: 'Veuillez revoir ceci :',
  faults: {
    missing: 'Ce champ est obligatoire.',
    'no-name': 'Un nom comporte de 3 à 20 lettres et chiffres, sans espaces ni accents.',
    taken: 'Ce nom est déjà pris. Veuillez en choisir un autre.',
    'no-version': 'Veuillez choisir l’une des versions.',
    'no-address': 'Ce n’est pas une adresse électronique.',
    undeliverable: 'Aucun courriel ne peut être envoyé à cette adresse.',
    'too-long': 'C’est trop long.',
    invisible: 'Ce champ contient des caractères invisibles.',
  },
  sent: {
    title: 'Consultez votre messagerie',
    text: 'Nous vous avons envoyé un lien. Votre demande compte dès que vous l’avez confirmée, sous trois jours.',
  },
  confirm: {
    title: 'Confirmer votre demande',
    text: 'Vous demandez l’instance « {name} » (version {version}) avec l’adresse {email}.',
    submit: 'Confirmer la demande',
  },
  confirmed: {
    title: 'Merci, votre demande est confirmée',
    text: 'Elle est maintenant examinée. La réponse vous parviendra par courriel.',
  },
  gone: {
    title: 'Ce lien n’est plus valable',
    text: 'Il a peut-être été coupé en chemin, ou il a plus de trois jours.',
    again: 'Faire une nouvelle demande',
  },
  closed: { title: 'Les demandes ne sont pas possibles en ce moment', text: 'Veuillez réessayer plus tard.' },
  tooMany: { title: 'C’était très souvent', text: 'Veuillez attendre un peu, puis réessayer.' },
  welcome: { title: 'Instances', register: 'Demander une instance', logIn: 'Se connecter' },
}

const de: RegisterTexts = {
  title: 'Eine Instanz anfragen',
  intro:
    'Wir senden Ihnen eine E-Mail, mit der Sie Ihre Adresse bestätigen. Danach prüfen wir Ihre Anfrage und antworten Ihnen.',
  labels: {
    name: 'Name der Instanz',
    version: 'Version',
    email: 'E-Mail-Adresse',
    firstname: 'Vorname',
    lastname: 'Nachname',
    phone: 'Telefon',
    company: 'Firma',
  },
  hints: {
    name: '3 bis 20 Buchstaben und Ziffern. Leer: Wir wählen einen.',
    email: 'Dorthin senden wir den Link zur Bestätigung.',
  },
  required: 'erforderlich',
  instance: 'Ihre Instanz',
  person: 'Über Sie',
  trap: 'Lassen Sie dieses Feld leer',
  submit: 'Anfrage senden',
  faultsTitle: 'Bitte sehen Sie sich das noch einmal an:',
  faults: {
    missing: 'Diese Angabe fehlt.',
    'no-name': 'Ein Name hat 3 bis 20 Buchstaben und Ziffern, ohne Leerzeichen und Umlaute.',
    taken: 'Dieser Name ist vergeben. Bitte wählen Sie einen anderen.',
    'no-version': 'Bitte wählen Sie eine der Versionen.',
    'no-address': 'Das ist keine gültige E-Mail-Adresse.',
    undeliverable: 'An diese Adresse kann keine E-Mail gesendet werden.',
    'too-long': 'Das ist zu lang.',
    invisible: 'Das enthält unsichtbare Zeichen.',
  },
  sent: {
    title: 'Bitte sehen Sie in Ihr Postfach',
    text: 'Wir haben Ihnen eine E-Mail mit einem Link gesendet. Ihre Anfrage gilt, sobald Sie sie dort innerhalb von drei Tagen bestätigen.',
  },
  confirm: {
    title: 'Anfrage bestätigen',
    text: 'Sie fragen mit der Adresse {email} die Instanz „{name}“ (Version {version}) an.',
    submit: 'Anfrage bestätigen',
  },
  confirmed: {
    title: 'Danke, Ihre Anfrage ist bestätigt',
    text: 'Wir prüfen sie und antworten Ihnen per E-Mail.',
  },
  gone: {
    title: 'Dieser Link ist nicht mehr gültig',
    text: 'Er ist vielleicht unvollständig oder älter als drei Tage.',
    again: 'Noch einmal anfragen',
  },
  closed: {
    title: 'Anfragen sind zurzeit nicht möglich',
    text: 'Bitte versuchen Sie es später noch einmal.',
  },
  tooMany: {
    title: 'Das waren zu viele Versuche',
    text: 'Bitte warten Sie eine Weile und versuchen Sie es dann erneut.',
  },
  welcome: { title: 'Instanzen', register: 'Eine Instanz anfragen', logIn: 'Anmelden' },
}

export const texts: Readonly<Record<RequestLanguage, RegisterTexts>> = { en, fr, de }
