import { expect, test } from 'vitest'
import { needPackage, optionalPackage } from './optional-package.js'

test('a missing package is named, with the command that installs it', async () => {
  const cause = new Error("Cannot find package 'pdfmake'")
  await expect(
    optionalPackage('A publication of the format pdf', 'pdfmake', () => Promise.reject(cause)),
  ).rejects.toMatchObject({
    code: 'ERR_INTERNAL',
    message: 'A publication of the format pdf needs the package "pdfmake": npm install pdfmake',
    cause,
  })
  expect(await optionalPackage('x', 'y', async () => 5)).toBe(5)
})

test('needPackage() takes a package that is there, and names one that is missing', async () => {
  await expect(needPackage('A publication', 'pdfmake')).resolves.toBeTruthy()
  await expect(needPackage('A publication', 'not-there-at-all')).rejects.toMatchObject({
    message: 'A publication needs the package "not-there-at-all": npm install not-there-at-all',
  })
})
