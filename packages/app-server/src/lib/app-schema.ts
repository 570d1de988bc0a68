import { levels } from '@steward/rest-koa'

const text = { type: 'string', minLength: 1 } as const
const texts = { type: 'array', items: text } as const

/** npm's names. */
const packageName = {
  type: 'string',
  pattern: '^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$',
  description: 'Name of an npm package, which is installed in the application or beside the server.',
} as const

const packageUse = {
  properties: {
    package: packageName,
    options: {
      type: 'object',
      description: 'What the package asks for; ${NAME} is the environment variable NAME.',
    },
  },
  required: ['package'],
  additionalProperties: false,
} as const

const values = {
  title: { ...text, description: 'For people. Default: the name.' },
  level: {
    // YAML reads 5.1 as a number, and 3.0 as 3.
    enum: [...levels, ...levels.map(Number)],
    description: 'Compatibility level of the service. Default: the latest.',
  },
  database: {
    ...text,
    description: 'sqlite:<file>, postgres://…, mysql://…, oracle://… or mssql://…; default sqlite:data/<name>.db.',
  },
  synchronous: {
    enum: ['normal', 'full'],
    description:
      'On SQLite: full, a power failure loses no acknowledged write; normal (default), it may lose the last.',
  },
  documents: {
    ...packageUse,
    type: ['string', 'object'],
    minLength: 1,
    description:
      'Folder of documents, default data/documents; a bucket: s3://bucket/prefix; or a package: { package, options }.',
  },
  authenticator: {
    ...packageUse,
    type: 'object',
    description: 'Package that checks passwords: { package, options }. Default: those of the users are checked.',
  },
  fieldTypes: { type: 'array', items: packageName, description: 'Packages that export field types.' },
  host: text,
  port: { type: 'integer', minimum: 0, maximum: 65_535 },
  workers: {
    type: ['integer', 'string'],
    minimum: 1,
    maximum: 1000,
    pattern: '^auto$',
    description: 'Processes that serve; auto: one per CPU core. Default 1.',
  },
  publicUser: { ...text, description: 'Login of the user under which calls without credentials run.' },
  cors: {
    type: 'object',
    properties: {
      origins: { ...texts, description: 'Origins of other sites whose pages may call, e.g. https://shop.example.' },
      credentials: { type: 'boolean' },
    },
    required: ['origins'],
    additionalProperties: false,
  },
  allowedOrigins: { ...texts, description: 'Address ranges that may call the service, e.g. 10.0.0.0/8.' },
  trustedProxies: { ...texts, description: 'Address ranges of proxies in front, or loopback, linklocal, uniquelocal.' },
  log: {
    type: 'object',
    properties: {
      format: { enum: ['json', 'combined', 'none'] },
      level: { enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] },
    },
    additionalProperties: false,
  },
  authorizationHeader: {
    type: 'string',
    pattern: '^[A-Za-z0-9-]+$',
    description: '<Name> of the header X-<Name>-Authorization, which goes before Authorization. Default Steward.',
  },
  passwordless: {
    type: 'boolean',
    description: 'Users without a password sign in with their login alone, but for administrators. Default false.',
  },
  minPasswordLength: { type: 'integer', minimum: 1, description: 'Fewest characters of a new password. Default 8.' },
  tokenMinutes: { type: 'integer', minimum: 1, description: 'Minutes that a token lasts. Default 480.' },
  strictTransportSeconds: {
    type: 'integer',
    minimum: 0,
    description: 'Seconds during which browsers must use only https; for services that are reached by https.',
  },
  maxBodyBytes: { type: 'integer', minimum: 1 },
  statementTimeoutSeconds: {
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    description: 'Seconds after which the database gives up a statement, 0: never. Default 30 on SQLite, else 60.',
  },
  streamTimeoutSeconds: {
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    description: 'Seconds that a client may take to read all records of a search, 0: no limit. Default 600.',
  },
  batchSeconds: {
    type: 'integer',
    minimum: 0,
    maximum: 600,
    description: 'Seconds that a batch may keep others from writing on SQLite, 0: no limit. Default 4.',
  },
  io: {
    type: 'object',
    properties: {
      maxBytes: { type: 'integer', minimum: 1, description: 'Most bytes of a payload. Default 1 GiB.' },
      privateUrls: { type: 'boolean', description: 'The parameter url may be an address of a private network.' },
    },
    additionalProperties: false,
  },
  events: {
    type: 'object',
    properties: {
      keepDays: { type: 'integer', minimum: 1, description: 'Days after which events are deleted. Default 7.' },
      keepDeliveriesDays: {
        type: 'integer',
        minimum: 1,
        description: 'Days after which deliveries of webhooks are deleted. Default 30.',
      },
      allowPrivateWebhooks: {
        type: 'boolean',
        description: 'Webhooks may call this machine and private networks. Default false.',
      },
    },
    additionalProperties: false,
  },
  audit: {
    type: 'object',
    properties: {
      keepDays: {
        type: 'integer',
        minimum: 1,
        description: 'Days after which entries of the audit trail are deleted. Default never.',
      },
    },
    additionalProperties: false,
  },
  rateLimit: {
    type: 'object',
    description: 'Maximum number of requests of one user (or one address, if anonymous) in this many seconds.',
    properties: { requests: { type: 'integer', minimum: 1 }, seconds: { type: 'integer', minimum: 1 } },
    required: ['requests', 'seconds'],
    additionalProperties: false,
  },
  compression: { type: 'boolean', description: 'Compresses answers for clients that take it. Default true.' },
  pages: { enum: [true, false, 'yes', 'no'], description: 'Pages for records at /. Default yes.' },
  setup: { ...text, description: 'Module whose default export fills a new application, run once.' },
} as const

/** What an application may be called. */
export const namePattern = '^[A-Za-z][A-Za-z0-9_-]{0,62}$'

const identity = {
  name: {
    type: 'string',
    pattern: namePattern,
    description: 'Name in addresses: letters, digits, "_" and "-".',
  },
  version: text,
} as const

/** What `app.yaml` may hold; fits `AppDefinition`. */
export const appSchema = {
  type: 'object',
  properties: {
    ...identity,
    ...values,
    environments: {
      type: 'object',
      additionalProperties: { type: 'object', properties: values, additionalProperties: false },
    },
  },
  required: ['name', 'version'],
  additionalProperties: false,
} as const
