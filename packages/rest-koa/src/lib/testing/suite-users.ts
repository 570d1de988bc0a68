import { systemPrincipal } from '@steward/rest-core'
import type { Principal } from '@steward/rest-core'
import { changePassword, createUserDirectory, systemObjects } from '@steward/rest-core/system'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCheapPasswords } from '../../../../../tests/cheap-passwords.js'
import { createAuthentication } from '../auth/authentication.js'
import { loginRouter } from '../auth/login-router.js'
import { restRouter } from '../router/rest-router.js'
import { createCaller } from './caller.js'
import type { Answer, CallService } from './caller.js'
import type { RunningService, StartService } from './running-service.js'
import { serve } from './serve.js'
import type { TestServer } from './serve.js'

/** Users, groups and grants: who reaches administrators, the same on every store. */
export function testUsers(startService: StartService): void {
  useCheapPasswords()
  let running: RunningService
  let server: TestServer
  let call: CallService
  let logins: CallService
  const system = systemPrincipal()
  const ids: Record<string, string> = {}
  let directory: ReturnType<typeof createUserDirectory>

  beforeAll(async () => {
    running = await startService(systemObjects)
    const { service, store } = running
    directory = createUserDirectory({ model: service.model, store })
    const app = new Koa()
    app.silent = true
    const authentication = createAuthentication({
      authenticator: {
        ...directory,
        async changePassword(principal, password) {
          await changePassword(service, principal, password)
          directory.clear()
        },
      },
      tokens: { secret: 'x'.repeat(32) },
    })
    app.use(loginRouter(authentication).routes())
    app.use(
      restRouter(service, {
        async authenticate({ req }) {
          directory.clear()
          const login = req.headers['x-user'] as string
          return login === 'system' ? system : ((await directory.principalOfLogin(login)) as Principal)
        },
      }).routes(),
    )
    server = await serve(app)
    call = createCaller(`${server.url}/api/rest`, null)
    logins = createCaller(`${server.url}/api`, null)

    const create = async (object: string, values: Record<string, unknown>) =>
      (await service.create(system, object, values)).row_id
    for (const login of ['boss', 'chief', 'dave', 'eve', 'kim'])
      ids[login] = await create('User', { usr_login: login, usr_password: `${login}-password` })
    for (const name of ['ADMIN', 'STAFF', 'READERS', 'OTHERS']) ids[name] = await create('Group', { grp_name: name })
    const join = async (login: string, group: string) =>
      (ids[`${login} in ${group}`] = await create('Responsibility', {
        rsp_login_id: ids[login],
        rsp_group_id: ids[group],
      }))
    await join('boss', 'ADMIN')
    await join('chief', 'ADMIN')
    await join('dave', 'STAFF')
    await join('kim', 'READERS')
    for (const object of ['User', 'Group', 'Responsibility', 'Grant'])
      await create('Grant', { grt_group_id: ids['STAFF'], grt_object: object, grt_rights: 'CRUD' })
    await create('Grant', { grt_group_id: ids['STAFF'], grt_object: 'Module', grt_rights: 'R' })
    await create('Grant', {
      grt_group_id: ids['STAFF'],
      grt_object: 'SystemParam',
      grt_rights: 'RU',
      grt_filter: "sys_type = 'TXT'",
      grt_hidden_fields: 'sys_desc',
    })
    ids['big grant'] = await create('Grant', { grt_group_id: ids['OTHERS'], grt_object: '*', grt_rights: 'CRUDA' })
  })
  afterAll(async () => {
    await server?.close()
    await running?.close()
  })

  const as = (user: string, method: string, path: string, json?: unknown): Promise<Answer> =>
    call(method, path, { headers: { 'x-user': user }, ...(json !== undefined && { json }) })

  /** What a dry run answers, and then the request itself: they must agree. */
  async function outcome(user: string, method: string, path: string, json?: unknown): Promise<string> {
    const tried = await as(user, method, `${path}${path.includes('?') ? '&' : '?'}_dryrun=true`, json)
    const done = await as(user, method, path, json)
    expect([tried.status, tried.json.code]).toEqual([done.status, done.json.code])
    return `${done.status} ${done.json.code ?? 'done'}`
  }

  describe('the own password', () => {
    const basic = (login: string, password: string) => ({ authorization: `Basic ${btoa(`${login}:${password}`)}` })
    const log = (path: string, headers: Record<string, string>, json?: unknown) =>
      logins('POST', path, { headers, ...(json !== undefined && { json }) })

    it('is changed by a user without rights, who gets a token in place of all others', async () => {
      await running.service.create(system, 'User', { usr_login: 'pat', usr_password: 'first word' })
      const { json: before } = await log('/login?format=json', basic('pat', 'first word'))
      const passwords = { password: 'first word', newPassword: 'second word' }
      const byToken = { authorization: `Bearer ${before.authtoken}` }
      const { status, json } = await log('/password?format=json', byToken, passwords)
      expect([status, json]).toEqual([200, expect.objectContaining({ login: 'pat', authtoken: expect.any(String) })])
      expect((await log('/logout', byToken)).status).toBe(401)
      expect((await log('/login', basic('pat', 'first word'))).status).toBe(401)
      expect((await log('/login', basic('pat', 'second word'))).status).toBe(200)
      expect((await log('/logout', { authorization: `Bearer ${json.authtoken}` })).status).toBe(200)
    })

    it('stays when the present one is wrong, or the new one breaks a rule, which is said at its name', async () => {
      await running.service.create(system, 'User', { usr_login: 'sam', usr_password: 'first word' })
      const own = basic('sam', 'first word')
      for (const [passwords, field, text] of [
        [{ password: 'wrong', newPassword: 'second word' }, 'password', 'The present password is wrong.'],
        [{ password: 'first word', newPassword: 'first word' }, 'newPassword', 'The new password is the present one.'],
        [
          { password: 'first word', newPassword: 'short' },
          'newPassword',
          expect.stringMatching(/^The new password .*8/),
        ],
        [{ password: 'first word' }, 'newPassword', expect.stringContaining('"newPassword"')],
      ] as const) {
        const { status, json } = await log('/password', own, passwords)
        expect([status, json.messages]).toEqual([400, [expect.objectContaining({ field, text })]])
      }
      expect((await log('/password', {}, { password: 'first word', newPassword: 'second word' })).status).toBe(401)
      expect((await logins('GET', '/password', { headers: own })).status).toBe(405)
      expect((await log('/login', own)).status).toBe(200)
    })
  })

  describe('who is not an administrator', () => {
    it.each<[string, () => [string, string, unknown?]]>([
      ["an administrator's password", () => ['PUT', `/User/${ids['boss']}`, { usr_password: 'taken over' }]],
      ["an administrator's name", () => ['PUT', `/User/${ids['boss']}`, { usr_last_name: 'x' }]],
      ['an administrator, by the key', () => ['PUT', '/User/_key/boss', { usr_active: false }]],
      ['an administrator, who goes', () => ['DELETE', `/User/${ids['boss']}`]],
      ['an administrator, in a batch', () => ['POST', '/User/_batch', [{ action: 'delete', row_id: ids['boss'] }]]],
      ['a login', () => ['PUT', `/User/${ids['eve']}`, { usr_login: 'eva' }]],
      ['the own login', () => ['PUT', `/User/${ids['dave']}`, { usr_login: 'dan' }]],
      ['who is in ADMIN', () => ['POST', '/Responsibility', { rsp_login_id: ids['dave'], rsp_group_id: ids['ADMIN'] }]],
      ['a membership of ADMIN', () => ['PUT', `/Responsibility/${ids['boss in ADMIN']}`, { rsp_login_id: ids['eve'] }]],
      [
        'a membership, to ADMIN',
        () => ['PUT', `/Responsibility/${ids['dave in STAFF']}`, { rsp_group_id: ids['ADMIN'] }],
      ],
      [
        'a membership, to another',
        () => ['PUT', `/Responsibility/${ids['dave in STAFF']}`, { rsp_group_id: ids['OTHERS'] }],
      ],
      ['who is in a group of others, by leaving', () => ['DELETE', `/Responsibility/${ids['kim in READERS']}`]],
      ['who is in ADMIN, by leaving', () => ['DELETE', `/Responsibility/${ids['chief in ADMIN']}`]],
      [
        'who is in a group of others',
        () => ['POST', '/Responsibility', { rsp_login_id: ids['dave'], rsp_group_id: ids['OTHERS'] }],
      ],
      ['the group ADMIN', () => ['DELETE', `/Group/${ids['ADMIN']}`]],
      ['the name of ADMIN', () => ['PUT', `/Group/${ids['ADMIN']}`, { grp_name: 'x' }]],
      ['the description of ADMIN', () => ['PUT', `/Group/${ids['ADMIN']}`, { grp_desc: 'x' }]],
      ['a group, into ADMIN', () => ['PUT', `/Group/${ids['OTHERS']}`, { grp_name: 'ADMIN' }]],
      ['the name of a group', () => ['PUT', `/Group/${ids['STAFF']}`, { grp_name: 'approvers' }]],
      ['a grant of everything', () => ['POST', '/Grant', grant('*', 'R')]],
      ['a grant of more letters', () => ['POST', '/Grant', grant('Module', 'RU')]],
      ['a grant on another object', () => ['POST', '/Grant', grant('Webhook', 'R')]],
      [
        'a grant of other rows',
        () => ['POST', '/Grant', { ...grant('SystemParam', 'R'), grt_hidden_fields: 'sys_desc' }],
      ],
      [
        'a grant, to more letters',
        () => ['PUT', `/Grant/${ids['big grant']}`, { grt_object: 'Module', grt_rights: 'CR' }],
      ],
    ])('does not change %s', async (_, request) => {
      expect(await outcome('dave', ...request())).toMatch(/^403 ERR_RIGHT|^403 undefined/)
    })

    it('changes other users, memberships of own groups, and grants of what the user may do', async () => {
      expect(await outcome('dave', 'PUT', `/User/${ids['eve']}`, { usr_login: 'eve', usr_last_name: 'E' })).toBe(
        '200 done',
      )
      const { status, json } = await as('dave', 'POST', '/Responsibility', {
        rsp_login_id: ids['eve'],
        rsp_group_id: ids['STAFF'],
      })
      expect([status, json.rsp_group_id__grp_name]).toEqual([200, 'STAFF'])
      expect(await outcome('dave', 'DELETE', `/Responsibility/${json.row_id}`)).toBe('200 done')
      expect((await as('dave', 'POST', '/Grant', grant('Module', 'R'))).json).toMatchObject({ grt_rights: 'R' })
      expect((await as('dave', 'POST', '/User', { usr_login: 'new', usr_password: 'long enough' })).status).toBe(200)
      expect((await as('dave', 'POST', '/Group', { grp_name: 'NEW' })).status).toBe(200)
    })

    function grant(object: string, rights: string) {
      return { grt_group_id: ids['READERS'], grt_object: object, grt_rights: rights }
    }
  })

  describe('the last active administrator', () => {
    beforeAll(async () => {
      expect((await as('boss', 'PUT', `/User/${ids['chief']}`, { usr_active: false })).status).toBe(200)
    })

    it.each<[string, () => [string, string, unknown?]]>([
      ['by being switched off', () => ['PUT', `/User/${ids['boss']}`, { usr_active: false }]],
      ['by being deleted', () => ['DELETE', `/User/${ids['boss']}`]],
      ['by the key', () => ['DELETE', '/User/_key/boss']],
      [
        'by a batch',
        () => ['POST', '/User/_batch', [{ action: 'update', row_id: ids['boss'], values: { usr_active: false } }]],
      ],
      ['with the group', () => ['DELETE', `/Group/${ids['ADMIN']}`]],
      ['with the name of the group', () => ['PUT', `/Group/${ids['ADMIN']}`, { grp_name: 'x' }]],
      ['by leaving the group', () => ['DELETE', `/Responsibility/${ids['boss in ADMIN']}`]],
      [
        'by moving to another group',
        () => ['PUT', `/Responsibility/${ids['boss in ADMIN']}`, { rsp_group_id: ids['STAFF'] }],
      ],
      [
        'by giving it to who is not active',
        () => ['PUT', `/Responsibility/${ids['boss in ADMIN']}`, { rsp_login_id: ids['chief'] }],
      ],
    ])('is not removed %s', async (_, request) => {
      for (const user of ['boss', 'system']) {
        const answer = await outcome(user, ...request())
        expect(answer).toMatch(/^409 (ERR_CONFLICT|undefined)|^200 done/)
        const left = await running.service.count(system, 'User', { filters: { usr_login: 'boss', usr_active: 'true' } })
        expect(left.count).toBe(1)
        expect(await directory.principalOfLogin('boss')).toMatchObject({ groups: ['ADMIN'] })
        directory.clear()
      }
    })

    it('may go when there is another one, and those who are not active may always', async () => {
      expect(await outcome('boss', 'DELETE', `/Responsibility/${ids['chief in ADMIN']}`)).toBe('200 done')
      await as('boss', 'POST', '/Responsibility', { rsp_login_id: ids['eve'], rsp_group_id: ids['ADMIN'] })
      expect(await outcome('eve', 'DELETE', `/User/${ids['boss']}`)).toBe('200 done')
    })

    it('stays when two administrators remove each other at once', async () => {
      const { service } = running
      const makeAdministrator = async (login: string) => {
        const { row_id: id } = await service.create(system, 'User', { usr_login: login })
        await service.create(system, 'Responsibility', { rsp_login_id: id, rsp_group_id: ids['ADMIN'] })
        return id
      }
      let last = ids['eve'] as string
      for (let round = 0; round < 5; round++) {
        const logins = [`left${round}`, `right${round}`] as const
        const [left, right] = [await makeAdministrator(logins[0]), await makeAdministrator(logins[1])]
        await service.delete(system, 'User', last)
        directory.clear()
        const principals = (await Promise.all(logins.map(directory.principalOfLogin))) as Principal[]
        const outcomes = await Promise.allSettled([
          service.delete(principals[0] as Principal, 'User', right),
          service.update(principals[1] as Principal, 'User', left, { usr_active: false }),
        ])
        const refusals = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown)
        expect(refusals).toMatchObject([{ code: 'ERR_CONFLICT' }])
        last = outcomes[0].status === 'rejected' ? right : left
      }
    })
  })

  describe('logins', () => {
    it.each([
      ['KIM', 409],
      [' kim ', 409],
      ['kım', 409],
      ['KİM', 409],
      ['ki\u200bm', 400],
      ['ｋｉｍ', 400],
      ['k\u202eim', 400],
      ['kimi', 200],
      [' padded ', 200],
    ])('%j is answered with %i', async (login, status) => {
      const answer = await as('system', 'POST', '/User', { usr_login: login })
      expect(answer.status).toBe(status)
      if (status !== 200) expect(answer.json.messages[0].field).toBe('usr_login')
      else expect(answer.json.usr_login).toBe(login.trim())
    })

    it('of one user may change their case', async () => {
      expect((await as('system', 'PUT', `/User/${ids['kim']}`, { usr_login: 'Kim' })).json.usr_login).toBe('Kim')
    })
  })

  it('new passwords have a least length', async () => {
    for (const [password, status] of [
      ['seven77', 400],
      ['eight888', 200],
      ['äöü🙂äöü🙂', 200],
    ] as const)
      expect((await as('system', 'PUT', `/User/${ids['kim']}`, { usr_password: password })).status).toBe(status)
    const { json } = await as('system', 'PUT', `/User/${ids['kim']}`, { usr_password: 'short' })
    expect(json.messages).toEqual([
      { code: 'ERR_LENGTH', field: 'usr_password', text: 'Field "usr_password" must have at least 8 characters.' },
    ])
  })

  it('the mark that the application was filled is neither changed nor deleted', async () => {
    const { row_id: id } = await running.service.create(system, 'SystemParam', { sys_code: 'STEWARD_SETUP' })
    expect(await outcome('system', 'PUT', `/SystemParam/${id}`, { sys_code: 'x' })).toBe('403 ERR_RIGHT')
    expect(await outcome('system', 'DELETE', `/SystemParam/${id}`)).toBe('403 ERR_RIGHT')
    expect(await outcome('system', 'DELETE', '/SystemParam/_key/STEWARD_SETUP')).toBe('403 ERR_RIGHT')
  })
}
