import { expect, test } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { createModel } from '../model/create-model.js'
import { missingPublicationPackages } from './missing-packages.js'

const Letter = defineObject({
  name: 'Letter',
  fields: { let_text: { type: 'string' } },
  publications: {
    page: { format: 'html', template: '{{let_text}}' },
    paper: { format: 'pdf', fields: ['let_text'] },
    sheet: { format: 'xlsx', fields: ['let_text'] },
  },
})

test('missingPublicationPackages() names each publication that lacks a package, and the command that installs it', () => {
  const model = createModel([Letter])
  expect(missingPublicationPackages(model, () => false)).toEqual([
    'Letter.publications.paper: the format pdf needs the package "pdfmake". Install it with: npm install pdfmake',
    'Letter.publications.sheet: the format xlsx needs the package "write-excel-file". Install it with: npm install write-excel-file',
  ])
  expect(missingPublicationPackages(model, (name) => name === 'pdfmake')).toHaveLength(1)
  expect(missingPublicationPackages(model)).toEqual([])
})
