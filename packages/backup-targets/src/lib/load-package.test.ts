import { expect, it } from 'vitest'
import { loadPackage } from './load-package.js'

it('loadPackage() says how a package that is missing is installed', async () => {
  const missing = 'steward-no-such-package'
  await expect(loadPackage(missing, () => import(/* @vite-ignore */ missing))).rejects.toMatchObject({
    code: 'ERR_TARGET_SETTINGS',
    help: 'Install it: npm install steward-no-such-package',
  })
})

it('loadPackage() does not hide what else is wrong with a package', async () => {
  await expect(loadPackage('broken', () => Promise.reject(new SyntaxError('broken')))).rejects.toThrow(SyntaxError)
})
