import type { FieldDescription, ObjectDescription } from './application.js'
import type { FakeKind } from './rule.js'

/** Why a column looks personal: its type, or words in its name or label, in English and French. */
export interface Looks {
  /** For people: `e-mail`, `first name`, `free text` … */
  readonly what: string
  /** What would stand in for it. */
  readonly fake?: FakeKind
}

const byType: Readonly<Record<string, Looks>> = {
  email: { what: 'e-mail', fake: 'email' },
  phone: { what: 'phone', fake: 'phone' },
  password: { what: 'password' },
  geocoords: { what: 'place', fake: 'place' },
  text: { what: 'free text', fake: 'text' },
  html: { what: 'free text', fake: 'text' },
  object: { what: 'free content' },
  document: { what: 'document' },
  image: { what: 'picture' },
}

/** Words without accents, two of them also written as one; what comes first goes before. */
const byWord: readonly { readonly looks: Looks; readonly words: readonly string[] }[] = [
  looks('e-mail', 'email mail courriel mel', 'email'),
  looks('phone', 'phone telephone tel mobile portable fax', 'phone'),
  looks('first name', 'firstname forename givenname prenom prenoms', 'firstName'),
  looks('last name', 'lastname surname familyname maidenname nomfamille nomnaissance', 'lastName'),
  looks('login', 'login username userid utilisateur identifiant', 'login'),
  looks('secret', 'password passwd secret token apikey mdp motdepasse'),
  looks('date of birth', 'birth birthday birthdate dob naissance anniversaire'),
  looks('bank account', 'iban rib bic bankaccount comptebancaire', 'iban'),
  looks('card', 'card creditcard cartebancaire'),
  looks('identity number', 'ssn nir nino passport passeport securitesociale socialsecurity taxid'),
  looks('zip code', 'zip zipcode postcode postalcode codepostal', 'zip'),
  looks('city', 'city town ville commune', 'city'),
  looks('street', 'street rue voie', 'street'),
  looks('address', 'address adresse', 'address'),
  looks('gender', 'gender sex sexe genre civilite'),
  looks('pay', 'salary wage salaire remuneration'),
  looks('health', 'health medical sante allergy allergies allergie'),
  looks('job', 'job jobtitle profession metier', 'job'),
  looks('IP address', 'ip ipaddress adresseip'),
  looks('signature', 'signature'),
  looks('photo', 'photo avatar portrait'),
  looks('company', 'company employer societe entreprise employeur', 'company'),
  looks('name', 'name fullname nom noms contact customer client patient', 'name'),
  looks('notes', 'note notes comment comments remark remarks commentaire commentaires remarque remarques', 'text'),
]

function looks(what: string, words: string, fake?: FakeKind) {
  return { looks: { what, ...(fake !== undefined && { fake }) }, words: words.split(' ') }
}

/** Never personal by themselves. */
const otherTypes = ['id', 'reference', 'boolean', 'color', 'time', 'regexp']

/** Undefined when nothing says so; system objects hold what the manager knows. */
export function looksPersonal(object: ObjectDescription, field: FieldDescription): Looks | undefined {
  if (field.technical || otherTypes.includes(field.type)) return undefined
  const ofType = byType[field.type]
  if (object.system && object.name !== 'User') return byName(field)?.what === 'secret' ? byName(field) : undefined
  // The name says more than "text".
  return ofType && !['text', 'html', 'object'].includes(field.type) ? ofType : (byName(field) ?? ofType)
}

function byName({ name, label }: FieldDescription): Looks | undefined {
  const texts = [wordsOf(name), wordsOf(label)].flatMap((words) => [
    ...words.map((word, at) => word + (words[at + 1] ?? '')),
    ...words,
  ])
  // In the order of the table: "e-mail of the contact" is an e-mail.
  return byWord.find(({ words }) => words.some((word) => texts.includes(word)))?.looks
}

/** `con_lastName` and `Prénom d'usage` as lower-case words without accents. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
