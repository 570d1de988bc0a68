import { describe, expect, test } from 'vitest'
import { compile, film, fill } from './film-for-test.js'

describe('what templates show', () => {
  test.each([
    ['{{fil_title}} {{fil_year}} {{fil_cost}} {{fil_seen}}', 'Alien 1979 12345678901234567890.5 true'],
    ['{{row_id}} {{this.fil_title}} {{@root.fil_title}}', '1 Alien Alien'],
    ['{{fil_studio_id__stu_name}} {{fil_tags}} {{fil_text}}.', 'Fox a, b .'],
    ['{{fil_data.by.name}} {{fil_data.none}}{{fil_data.none.deeper}}', 'R. S. '],
    ['{{#each fil_data.stars}}<{{this}}>{{/each}}', '<1><2>'],
    ['{{label fil_state}} {{label fil_tags}}', 'Brand new Action, b'],
    ['{{date fil_day}} {{date fil_day style="long"}}', '1979-05-25 May 25, 1979'],
    ['{{date fil_day style="short" locale="de"}}', '25.05.79'],
    ['{{date fil_at style="short" locale="de"}}', '25.05.79, 20:15'],
    ['{{date fil_text style="long"}}|{{number fil_text}}', '|'],
    ['{{number fil_cost digits=2}} {{number fil_year}}', '12,345,678,901,234,567,890.50 1,979'],
    ['{{number fil_cost locale="de"}}', '12.345.678.901.234.567.890,5'],
    ['{{#if (eq fil_state "new")}}new{{else}}old{{/if}}', 'new'],
    ['{{#if (eq fil_year 1980)}}x{{else if fil_seen}}seen{{/if}}', 'seen'],
    ['{{#if (and fil_seen (not fil_text))}}a{{/if}}{{#unless (or fil_text fil_title)}}b{{/unless}}', 'a'],
    ['{{#each fil_tags}}{{@index}}{{this}}{{#unless @last}},{{/unless}}{{/each}}', '0a,1b'],
    ['{{#each fil_tags as |tag n|}}{{tag}}{{n}}{{../fil_title}}{{/each}}', 'a0Alienb1Alien'],
    ['{{@object.pluralLabel}} {{@publication.name}} {{@user.login}} {{@now}}', 'Films p ann 2026-05-06 12:00:00'],
    ['{{! no comment }}{{!-- none --}}x', 'x'],
  ])('%s', (template, text) => {
    expect(fill(template)).toBe(text)
  })

  test('several records', () => {
    const films = [film, { ...film, fil_title: 'Brazil' }]
    expect(fill('{{count}}: {{#each records}}{{fil_title}}{{#unless @last}}, {{/unless}}{{/each}}', 'txt', films)).toBe(
      '2: Alien, Brazil',
    )
    expect(fill('{{#each records as |f|}}{{f.fil_title}}/{{@root.count}} {{/each}}', 'txt', films)).toBe(
      'Alien/2 Brazil/2 ',
    )
    expect(fill('{{#each records}}x{{else}}none{{/each}}', 'txt', [])).toBe('none')
  })

  test('what a user does not see is empty', () => {
    expect(fill('{{fil_title}}|{{fil_year}}|{{fil_tags}}|{{fil_seen}}', 'txt', { row_id: '1' })).toBe('|||false')
  })
})

describe('what templates may not say', () => {
  test.each([
    ['{{fil_nope}}', '"Film" has no field "fil_nope"'],
    ['a\n\n{{fil_titel}}', 'line 3: "Film" has no field "fil_titel"'],
    ['{{fil_secret}}', 'no field "fil_secret"'],
    ['{{fil_pin}}', 'no field "fil_pin"'],
    ['{{constructor}}', 'no field "constructor"'],
    ['{{__proto__}}', 'no field "__proto__"'],
    ['{{fil_title.length}}', 'field "fil_title" has no parts'],
    ['{{@root.constructor}}', 'no field "constructor"'],
    ['{{@object.constructor}}', 'no variable "@object.constructor"'],
    ['{{@pictures}}', 'no variable "@pictures"'],
    ['{{../fil_title}}', 'goes further up than the template'],
    ['{{this}}', 'is no value but records'],
    ['{{{fil_title}}}', 'values are always escaped'],
    ['{{&fil_title}}', 'values are always escaped'],
    ['{{lookup this "fil_title"}}', 'has no helper "lookup this fil_title"'],
    ['{{log fil_title}}', 'has no helper'],
    ['{{#with fil_title}}{{/with}}', 'has no block "{{#with}}"'],
    ['{{#fil_title}}x{{/fil_title}}', 'has no block "{{#fil_title}}"'],
    ['{{> other}}', 'PartialStatement is not supported'],
    ['{{#*inline "x"}}{{/inline}}', 'DecoratorBlock is not supported'],
    ['{{#each fil_title}}{{/each}}', '{{#each}} needs records'],
    ['{{#each fil_tags}}{{fil_title}}{{/each}}', 'this place has no field "fil_title"'],
    ['{{records}}', 'no field "records"'],
    ['{{label fil_title.x}}', 'has no parts'],
    ['{{label "x"}}', '"label" needs a field'],
    ['{{image fil_poster}}', '"image" does not work in txt'],
    ['{{date}}', '"fil_'],
    ['{{eq fil_title}}', '"eq" needs two values'],
    ['{{date fil_day style="huge"}}', 'huge'],
    ['{{date fil_day locale="!"}}', 'locale'],
    ['{{date fil_day style=fil_title}}', 'must be a fixed text'],
    ['{{number fil_year colour="red"}}', '"number" has no option "colour"'],
    ['{{#if fil_title}}', 'Parse error on line 1'],
    ['{{fil_title', 'Parse error on line 1'],
    ['{"a": {{fil_year}}}', 'put a blank between'],
  ])('%s', (text, problem) => {
    const { template, problems } = compile(text)
    expect(template).toBeUndefined()
    if (text !== '{{date}}') expect(problems.join()).toContain(problem)
    else expect(problems).toEqual(['line 1: "date" needs one value'])
  })

  test('every mistake is reported', () => {
    expect(compile('{{a}}\n{{#if b}}{{c}}{{/if}}\n{{nope d}}').problems.map((text) => text.slice(0, 30))).toEqual([
      'line 1: "Film" has no field "a',
      'line 2: "Film" has no field "b',
      'line 3: has no helper "nope d"',
    ])
  })

  test('a list has no field outside of its records', () => {
    expect(compile('{{fil_title}}', 'txt', 'list').problems[0]).toContain('fields inside {{#each records}}')
    expect(compile('{{count}}', 'txt', 'file').problems[0]).toContain('no field "count"')
  })
})

test('what a template needs is known', () => {
  const { template } = compile(
    '{{fil_title}}{{#each fil_tags}}{{@root.fil_year}}{{/each}}{{image fil_poster thumbnail=true}}',
    'html',
  )
  expect([...(template?.needs.fields ?? [])].toSorted()).toEqual(['fil_poster', 'fil_tags', 'fil_title', 'fil_year'])
  expect(template?.needs.pictures).toEqual([{ field: 'fil_poster', thumbnail: true }])
  expect(compile('{{image fil_title}}', 'html').problems).toEqual([
    'line 1: "image" needs an image field, "fil_title" is none',
  ])
})
