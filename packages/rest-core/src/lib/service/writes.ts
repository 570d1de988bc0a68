import { isDeepStrictEqual } from 'node:util'
import type { ErrorMessage } from '../../errors.js'
import { RestError } from '../../errors.js'
import { isInColumn, readColumn } from '../documents/column-content.js'
import type { FieldValue } from '../fields/field-value.js'
import { isEmpty } from '../fields/field-type.js'
import type { Filter } from '../filter/filter.js'
import { withChangedWords, withWords } from '../index-search/record-words.js'
import type { BusinessRecord, ObjectModel, Selection } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { accessOf } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import type { ReadOptions, StoreSession } from '../store.js'
import type { BusinessObjects, ObjectName, UpdateOptions, WriteOptions } from './business-objects.js'
import { checkLinks } from './check-links.js'
import { deleteRow } from './delete-row.js'
import { checkDocumentIds, inlineDocuments, storeUploads } from './documents.js'
import { readHookValues } from './hook-values.js'
import type { WriteContext } from './hooks.js'
import type { Input } from './input.js'
import { timestamp } from '../fields/temporal.js'
import { applyDefaults, readInput, validate } from './input.js'
import { joinHookValues, joinReferences, keyChanges } from './made-fields.js'
import { missingRow } from './missing-row.js'
import { hashesIn, hashInTurn, type HashOnce } from './password-hashes.js'
import { callerOf } from './caller-of.js'
import { answerSelection, parseRowId, wholeSelection } from './selections.js'
import { isRecorded, recordChange } from './record-change.js'
import type { Change, ServiceContext } from './service-context.js'
import { readableNow } from './readable-now.js'
import { checkInitialState, checkTransition, refusedState } from './states.js'
import { isShared, raiseVersion } from '../system/shared-version.js'
import type { StoreAttempt } from './store-errors.js'
import { duplicates, missingReferences, translate } from './store-errors.js'
import { runTransaction } from './transaction.js'
import { unchangedFields } from './unchanged.js'
import type { LazyTransaction } from './transaction.js'

/** One create or update on its way. */
interface Write {
  readonly object: ObjectModel
  readonly access: Access
  readonly principal: Principal
  readonly input: Input
  readonly select: Selection
  readonly where: Filter | undefined
  readonly transaction: LazyTransaction
  readonly hookContext: WriteContext
  readonly options: WriteOptions | undefined
  readonly hash: HashOnce
  /** Fields of an update that are sent as they are answered. */
  readonly unchanged?: ReadonlySet<string>
}

/** Each is one transaction, a single statement where nothing more is needed. Their records are typed as those of reads. */
export function createWrites(context: ServiceContext): Pick<BusinessObjects, 'create' | 'update' | 'delete'> {
  return { create: create as BusinessObjects['create'], update: update as BusinessObjects['update'], delete: remove }

  async function create(
    principal: Principal,
    name: ObjectName,
    body: unknown,
    options?: WriteOptions,
  ): Promise<BusinessRecord> {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    const where = access.need('C')
    refuseReadOnly(object)
    let values: Input['values'] = {}
    const hash: HashOnce = (password) => hashesIn(body)(password)
    const attempt = (): StoreAttempt => ({ object, operation: 'create', principal, values })
    return inTransaction(principal, attempt, async (transaction) => {
      // Read again by each attempt, which changes it.
      const input = readInput(access, body, 'create', options)
      values = input.values
      await hashAhead(object, input, transaction, hash, principal)
      const hookContext = createHookContext(object, principal, input, transaction, 'create', async () => undefined)
      const select = answerSelection(access, options)
      return runCreate({ object, access, principal, input, select, where, transaction, hookContext, options, hash })
    })
  }

  async function runCreate(write: Write): Promise<BusinessRecord> {
    const { object, access, principal, input, hookContext, options } = write
    const { hooks } = object.definition
    const { values } = input
    if (object.hasMadeFields) input.messages.push(...(await joinReferences(object, values)))
    const given = { ...values }
    const restored = options?.restore ? given : {}
    if (hooks?.isCreateEnable && !(await hooks.isCreateEnable(hookContext))) throw notEnabled('created', object)
    if (hooks?.initCreate) await hooks.initCreate(hookContext)
    const now = context.clock()
    applyDefaults(access, values, namesWithMessages(input), principal, now)
    if (hooks?.preValidate) await hooks.preValidate(hookContext)
    if (hooks) input.messages.push(...readHookValues(object, values, given))
    if (object.hasMadeFields) joinHookValues(object, values, given)
    await refuse(write, undefined, [
      ...input.messages,
      ...checkDocumentIds(input, undefined),
      ...(options?.restore ? [] : checkInitialState(object, values)),
      ...(await foreignReferences(write, given, undefined)),
    ])
    if (hooks?.postValidate) await hooks.postValidate(hookContext)
    if (hooks?.preSave) await hooks.preSave(hookContext)
    if (hooks?.preCreate) await hooks.preCreate(hookContext)
    if (hooks) refuseUnreadable(readHookValues(object, values, given))
    if (object.hasMadeFields) joinHookValues(object, values, given)
    if (object.technical.length > 0) {
      values['created_dt'] = values['updated_dt'] = timestamp(now)
      values['created_by'] = values['updated_by'] = principal.login
      restoreTechnical(object, values, restored)
    }
    return save(write, hooks?.postCreate, (session, select) =>
      session.insert(object, object.index ? withWords(object.index, values) : values, select),
    )
  }

  async function update(
    principal: Principal,
    name: ObjectName,
    rowId: string,
    body: unknown,
    options?: UpdateOptions,
  ): Promise<BusinessRecord> {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    const where = access.need('U')
    refuseReadOnly(object)
    const id = parseRowId(object, rowId)
    let values: Input['values'] = {}
    const hash: HashOnce = (password) => hashesIn(body)(password)
    const readable = () => readableNow(context.bind(undefined), principal, object.name, id)
    const attempt = (): StoreAttempt => ({ object, operation: 'update', principal, rowId: id, values, readable })
    return inTransaction(principal, attempt, async (transaction) => {
      // Read again by each attempt, which changes it.
      const read = readInput(access, body, 'update', options)
      values = read.values
      const unchanged = await unchangedFields(access, body as object, values, read.messages, (fields) =>
        lockRow(transaction, access, id, { select: fields, lock: 'unique' }, where),
      )
      const messages = read.messages.filter(({ field = '' }) => !unchanged.has(field))
      const input = { ...read, messages }
      await hashAhead(object, input, transaction, hash, principal)
      if (object.hasMadeFields) input.messages.push(...keyChanges(object, id, body))
      let whole: Promise<BusinessRecord> | undefined
      const old = () => (whole ??= lockRow(transaction, access, id, { select: wholeSelection(object) }, where))
      const hookContext = createHookContext(object, principal, input, transaction, 'update', old)
      const select = answerSelection(access, options)
      return runUpdate(
        { object, access, principal, input, select, where, transaction, hookContext, options, hash, unchanged },
        id,
        old,
        options,
      )
    })
  }

  async function runUpdate(
    write: Write,
    id: string,
    old: () => Promise<BusinessRecord>,
    options: UpdateOptions | undefined,
  ): Promise<BusinessRecord> {
    const { object, access, principal, input, where, transaction, hookContext } = write
    const { hooks } = object.definition
    const { values } = input
    if (object.hasMadeFields) input.messages.push(...(await joinReferences(object, values, old)))
    const given = { ...values }
    const restored = options?.restore ? given : {}
    if (options?.precondition) await requirePrecondition(write, id, options.precondition)
    if (hooks?.isUpdateEnable && !(await hooks.isUpdateEnable({ ...hookContext, record: await old() })))
      throw notEnabled('updated', object)
    if (hooks?.initUpdate) await hooks.initUpdate(hookContext)
    if (hooks?.preValidate) await hooks.preValidate(hookContext)
    if (hooks) input.messages.push(...readHookValues(object, values, given))
    const messages = [...input.messages]
    if (input.documentIds.length > 0) messages.push(...checkDocumentIds(input, await old()))
    const { state } = object
    if (state && state.name in values && !options?.restore)
      messages.push(...(await refusedTransition(write, id, state.name, (await old())[state.name] as FieldValue)))
    messages.push(...(await foreignReferences(write, given, id)))
    await refuse(write, id, messages)
    if (hooks?.postValidate) await hooks.postValidate(hookContext)
    if (hooks?.preSave) await hooks.preSave(hookContext)
    if (hooks?.preUpdate) await hooks.preUpdate(hookContext)
    if (hooks) refuseUnreadable(readHookValues(object, values, given))
    if (object.hasMadeFields) joinHookValues(object, values, given)
    const replaced = object.documents.filter(
      (field) => !isInColumn(field) && (field.name in values || input.uploads.some((upload) => upload.field === field)),
    )
    const oldDocuments =
      replaced.length > 0 ? await old().then((record) => replaced.map(({ name }) => record[name] as string)) : []
    if (object.technical.length > 0) {
      values['updated_dt'] = timestamp(context.clock())
      values['updated_by'] = principal.login
      restoreTechnical(object, values, restored)
    }
    for (const field of write.unchanged ?? []) if (isDeepStrictEqual(values[field], given[field])) delete values[field]
    const words = object.index ? await withChangedWords(object.index, values, old) : undefined
    const record = await save(write, hooks?.postUpdate, async (session, select) => {
      // Only here are passwords hashed and documents stored.
      const stored = words ? { ...words, ...values } : values
      return (
        (await session.update(object, id, stored, { select, where })) ??
        Promise.reject(await missingRow(session, access, id))
      )
    })
    removeDocumentsAfterCommit(transaction, oldDocuments)
    return record
  }

  /** Uploads, hashes and writes; what was uploaded is removed again when the transaction is undone. */
  async function save(
    write: Write,
    post: ((hook: WriteContext) => void | Promise<void>) | undefined,
    run: (session: StoreSession, select: Selection) => Promise<BusinessRecord>,
  ): Promise<BusinessRecord> {
    const { object, access, principal, input, select, where, transaction, hookContext, options } = write
    const guards = options?.fields ? access.guardsFor(options.fields) : access.guards
    const reading = readingFilter(access, where)
    const { hooks } = object.definition
    if (input.uploads.length > 0) {
      const uploaded = await storeUploads(context.documents, input, input.values)
      transaction.afterRollback(() => removeDocuments(uploaded))
      // Whether a single statement was carried out is unknown when its answer is lost.
      await transaction.session()
    }
    for (const [name, password] of passwordsIn(object, input.values)) input.values[name] = await write.hash(password)
    if (where || guards || reading || post || hooks?.postSave || isRecorded(object) || isShared(context.model, object))
      await transaction.session()
    const session = await context.session(hookContext.principal, transaction)
    const old = object.definition.audit ? await hookContext.old() : undefined
    let record = await run(session, guards ? object.select([]) : select)
    if (where || guards) {
      const seen = await session.get(object, record.row_id, { select, where, guards })
      if (!seen)
        throw new RestError('ERR_RIGHT', `You may not leave this record of "${object.name}" with these values.`)
      record = seen
    }
    if (isRecorded(object)) {
      const { operation } = hookContext
      const { row_id: rowId } = record
      await recordChange(context, session, { object, operation, rowId, principal, old, values: input.values })
    }
    if (post || hooks?.postSave) {
      const after = { ...hookContext, record }
      if (post) await post(after)
      if (hooks?.postSave) await hooks.postSave(after)
    }
    if (!access.may('R') || (reading && !(await isThere(session, object, record.row_id, reading))))
      record = { row_id: record.row_id }
    if (options?.inlineDocuments || options?.inlineThumbnails)
      await inlineDocuments(context, principal, object, record, options)
    announce(transaction, object, hookContext.operation, record.row_id)
    return record
  }

  async function remove(
    principal: Principal,
    name: ObjectName,
    rowId: string,
    options?: Pick<UpdateOptions, 'precondition'>,
  ): Promise<{ row_id: string }> {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    const where = access.need('D')
    refuseReadOnly(object)
    const id = parseRowId(object, rowId)
    const attempt = (): StoreAttempt => ({ object, operation: 'delete', principal, rowId: id })
    return inTransaction(principal, attempt, async (transaction) => {
      if (options?.precondition)
        await requirePrecondition({ access, principal, transaction, where }, id, options.precondition, 'delete')
      if (isShared(context.model, object)) await transaction.session()
      const documents = await deleteRow({ context, transaction, principal }, object, id, where, (session) =>
        missingRow(session, access, id),
      )
      removeDocumentsAfterCommit(transaction, documents)
      announce(transaction, object, 'delete', id)
      return { row_id: id }
    })
  }

  /** Runs one request in the bound transaction, or in one of its own, which may be repeated. */
  async function inTransaction<T>(
    principal: Principal,
    attempt: () => StoreAttempt,
    work: (transaction: LazyTransaction) => Promise<T>,
  ): Promise<T> {
    try {
      if (context.transaction) return await work(context.transaction)
      return await runTransaction(context, work, { repeat: true, caller: callerOf(principal) })
    } catch (error) {
      throw await translate(error, attempt(), context.store)
    }
  }

  function createHookContext(
    object: ObjectModel,
    principal: Principal,
    { values }: Input,
    transaction: LazyTransaction,
    operation: 'create' | 'update',
    old: WriteContext['old'],
  ): WriteContext {
    const { hooks } = object.definition
    const service = hooks ? context.bind(transaction) : (undefined as never)
    const knex = hooks ? service.knex : (undefined as never)
    return { object, principal, service, knex, operation, old, values, record: undefined }
  }

  /** Throws all messages at once; then also what only the database knows, which good requests are not asked. */
  async function refuse(
    { object, principal, input, unchanged = new Set() }: Write,
    rowId: string | undefined,
    found: readonly ErrorMessage[],
  ): Promise<void> {
    const { values } = input
    const operation = rowId === undefined ? 'create' : 'update'
    const broken = validate(object, values, operation, new Set([...namesWithMessages(input), ...unchanged]))
    const messages = [
      ...found,
      ...(rowId === undefined ? broken : await withoutUnchanged(broken, object, rowId, values)),
    ]
    if (messages.length === 0) return
    const faulty = new Set(messages.map(({ field }) => field))
    const sound = Object.fromEntries(Object.entries(values).filter(([name]) => !faulty.has(name)))
    const readable = async () =>
      rowId === undefined ? undefined : readableNow(context.bind(undefined), principal, object.name, rowId)
    const attempt: StoreAttempt = {
      object,
      operation,
      principal,
      values: sound,
      readable,
      ...(rowId !== undefined && { rowId }),
    }
    messages.push(...(await missingReferences(attempt, context.store)), ...(await duplicates(attempt, context.store)))
    throw RestError.validation(messages)
  }

  /** Names neither the state nor what is allowed from there to a user who may not read it. */
  async function refusedTransition(
    { object, access, principal, input, transaction }: Write,
    rowId: string,
    field: string,
    from: FieldValue,
  ): Promise<ErrorMessage[]> {
    const to = input.values[field] as FieldValue
    const refused = checkTransition(object, from, to, principal)
    if (refused.length === 0) return refused
    const isShown = access.shows(field) && (await readableNow(context.bind(transaction), principal, object.name, rowId))
    return isShown ? refused : [refusedState(object, to)]
  }

  /** A value that was stored when it could be longer may be sent again. */
  async function withoutUnchanged(
    messages: readonly ErrorMessage[],
    object: ObjectModel,
    rowId: string,
    values: Readonly<Record<string, FieldValue>>,
  ): Promise<readonly ErrorMessage[]> {
    const long = messages.flatMap(({ code, field }) => (code === 'ERR_LENGTH' && field !== undefined ? [field] : []))
    if (long.length === 0) return messages
    const stored = await context.store.get(object, rowId, { select: object.select(long) })
    return messages.filter(
      ({ field = '' }) => !long.includes(field) || !isDeepStrictEqual(stored?.[field], values[field]),
    )
  }

  /** Messages about references in the request to records that the writer may not read. */
  async function foreignReferences(
    { access, principal, input, transaction }: Write,
    given: Readonly<Record<string, FieldValue>>,
    rowId: string | undefined,
  ): Promise<ErrorMessage[]> {
    const links = access.links.filter(
      ({ field: { name } }) => !isEmpty(given[name]) && input.values[name] === given[name],
    )
    return links.length > 0
      ? checkLinks(await context.session(principal, transaction), access, links, given, rowId)
      : []
  }

  /** The locked row. @throws RestError ERR_NOT_FOUND or ERR_RIGHT */
  async function lockRow(
    transaction: LazyTransaction,
    access: Access,
    id: string,
    { lock = true, ...options }: Omit<ReadOptions, 'where'>,
    where: Filter | undefined,
  ): Promise<BusinessRecord> {
    const session = await transaction.session()
    return (
      (await session.get(access.object, id, { ...options, where, lock })) ??
      Promise.reject(await missingRow(session, access, id))
    )
  }

  /** The record is judged as a get would answer it now; its row stays locked. */
  async function requirePrecondition(
    { access, principal, transaction, where }: Pick<Write, 'access' | 'principal' | 'transaction' | 'where'>,
    id: string,
    precondition: NonNullable<UpdateOptions['precondition']>,
    lock?: 'delete',
  ): Promise<void> {
    const { object } = access
    await lockRow(transaction, access, id, { select: object.select([]), lock }, where)
    const record = await readableNow(context.bind(transaction), principal, object.name, id)
    const contentId = async (name: string): Promise<string> => {
      const field = object.documents.find((each) => each.name === name && isInColumn(each) && record !== undefined)
      return (field && (await readColumn(await transaction.session(), field, id))?.id) ?? ''
    }
    if (!(await precondition(record, contentId)))
      throw new RestError(
        'ERR_PRECONDITION',
        'The record has changed since you read it. Read it again and repeat the change.',
      )
  }

  function announce(
    transaction: LazyTransaction,
    object: ObjectModel,
    operation: Change['operation'],
    rowId: string,
  ): void {
    const { model, onChange } = context
    if (isShared(model, object)) transaction.beforeCommit((session) => raiseVersion(model, session))
    if (onChange) transaction.afterCommit(async () => onChange({ object, operation, rowId }))
  }

  function removeDocumentsAfterCommit(transaction: LazyTransaction, ids: readonly string[]): void {
    if (ids.length > 0) transaction.afterCommit(() => removeDocuments(ids))
  }

  async function removeDocuments(ids: readonly string[]): Promise<void> {
    for (const id of ids) if (id !== '') await context.documents?.delete(id)
  }
}

async function isThere(session: StoreSession, object: ObjectModel, id: string, where: Filter): Promise<boolean> {
  return (await session.get(object, id, { select: object.select([]), where })) !== undefined
}

/** What a written record must match to be answered, where the rows that may be written are not those that may be read. */
function readingFilter(access: Access, written: Filter | undefined): Filter | undefined {
  const where = access.may('R') ? access.need('R') : undefined
  return isDeepStrictEqual(where, written) ? undefined : where
}

/** Before hooks and checks read in the transaction, which keeps others waiting from then on. */
async function hashAhead(
  object: ObjectModel,
  { values, messages }: Input,
  transaction: LazyTransaction,
  hash: HashOnce,
  principal: Principal,
): Promise<void> {
  if (transaction.isOpen || messages.length > 0) return
  const { user = '' } = callerOf(principal)
  for (const [, password] of passwordsIn(object, values)) await hashInTurn(hash, password, user)
}

function passwordsIn(object: ObjectModel, values: Readonly<Record<string, FieldValue>>): [string, string][] {
  return object.fields.flatMap(({ name, type }): [string, string][] => {
    const value = values[name]
    return type.name === 'password' && typeof value === 'string' && value !== '' ? [[name, value]] : []
  })
}

/** Puts the technical values that came with a record in place of those of now. */
function restoreTechnical(
  object: ObjectModel,
  values: Record<string, FieldValue>,
  restored: Readonly<Record<string, FieldValue>>,
): void {
  for (const { name } of object.technical) {
    const value = restored[name]
    if (!isEmpty(value)) values[name] = value as FieldValue
  }
}

/** Fields that need no further check: their value was refused already, or is an upload. */
function namesWithMessages({ messages, uploads, documentIds }: Input): ReadonlySet<string> {
  return new Set([
    ...messages.map(({ field }) => field ?? ''),
    ...[...uploads, ...documentIds].map(({ field }) => field.name),
  ])
}

function refuseReadOnly(object: ObjectModel): void {
  if (object.readOnly) throw new RestError('ERR_RIGHT', `Object "${object.name}" is read-only.`)
}

/** Values that hooks have set after the validation. */
function refuseUnreadable(messages: readonly ErrorMessage[]): void {
  if (messages.length > 0) throw RestError.validation(messages)
}

function notEnabled(verb: string, object: ObjectModel): RestError {
  return new RestError('ERR_RIGHT', `This record of "${object.name}" may not be ${verb} now.`)
}
