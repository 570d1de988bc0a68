import { textType } from './text-value.js'

/** Long markup, kept as it is: a page that shows it must make it safe. */
export const htmlType = textType({
  name: 'html',
  number: 11,
  long: true,
  schema: { annotations: { contentMediaType: 'text/html' } },
})
