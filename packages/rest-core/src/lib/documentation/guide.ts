import { longestPath } from '../model/create-model.js'
import type { ServiceDescription } from './description.js'

const views: Readonly<Record<string, string>> = {
  _count: 'true',
  _metadata: 'true',
  _doc: 'true',
  _indexsearch: '<words>',
  _crosstab: '<name>',
  _action: '<name>',
  _printtemplate: '<name>',
}

/** What holds for all operations: Markdown. */
export function guide({ level, parameters }: ServiceDescription): string {
  const asked = Object.entries(views).flatMap(([name, text]) =>
    parameters.includes(name) ? [`\`?${name}=${text}\``] : [],
  )
  return `This describes only what the current user is allowed to do. Compatibility level ${level}.

**Values.** Row ids and references are strings. Texts, lists of codes, dates and references that are not filled are \`""\`
(several codes: \`[]\`), numbers \`null\`. Dates are \`yyyy-MM-dd\`, with times \`yyyy-MM-dd HH:mm:ss\` in UTC, unless their field is without a time zone, times
\`HH:mm:ss\`. Numbers with more digits than JavaScript keeps are strings. Characters may be all but NUL.

**Addresses.** Where no row is meant, \`/<object>\`, \`/<object>/\`, \`/<object>/0\` and \`/<object>/_\` are the same.
\`HEAD\` works where \`GET\` does, but for actions. What has an address of its own can be asked for by a parameter of a search, or of a
record, too: ${asked.join(', ')}. A \`POST\` with \`?_method=PUT\` or \`DELETE\`, or the header \`X-HTTP-Method-Override\`, stands
for that method.

**Filters.** A parameter with the name of a field filters: a value with the wildcards \`*\` (any characters) and \`_\` (one;
\`\\\` escapes), an interval \`from;to\` of numbers, dates and times, or an expression such as \`>= 5\`, \`in ('a', 'b')\`,
\`not like 'a%'\`, \`is null\`, combined by \`and\`, \`or\`, \`not\` and parentheses. A repeated parameter means one of its
values. All filters must match. \`_filter\` is an additional condition on several fields:
\`(f like 'a%' or g__h = 1) and not i is null\`.

**Linked objects.** \`<reference>__<field>\` is a field of the record that a reference leads to; paths can continue, up to
${longestPath} references: \`a__b__c\`. Filters, \`_filter\`, \`_order\` and \`_fields\` take the path of any field that may be read
where it leads to, listed here or not; see the description of that object. What may not be read is empty, or unknown.

**Errors** have one form, \`rest.Error\`. An unknown parameter or field is an error.`
}
