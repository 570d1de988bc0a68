import type { Action, Option, Parameter } from '@steward/manager-core'

const groups = ['Instances', 'Looking', 'Backups', 'Flags', 'Application', 'Requests', 'Access', 'Manager'] as const

/** The reference of all commands, as Markdown, generated from the action table. */
export function commandReference(actions: readonly Action[]): string {
  const ofCli = actions.filter(({ surfaces }) => surfaces === undefined || surfaces.includes('cli'))
  const sections = groups.map((group) => {
    const own = ofCli.filter((action) => action.group === group)
    return [`## ${group}`, ...own.map(commandText)].join('\n\n')
  })
  return `${[intro, ...sections].join('\n\n')}\n`
}

const intro = `# Commands of the manager

Generated from the action table; \`manager <command> --help\` prints the same. Options of every command, exit codes and the JSON
that \`--json\` gives are in [the operator's guide](manager.md).`

function commandText(action: Action): string {
  const {
    name,
    aliases = [],
    summary,
    description,
    parameters = [],
    options = [],
    examples,
    destructive,
    destructiveWith,
  } = action
  const usage = [
    `manager ${[name, ...aliases].join('|')}`,
    ...parameters.map(parameterText),
    ...(options.length > 0 ? ['[options]'] : []),
  ]
  const inputs = [...parameters.map(parameterLine), ...options.map(optionLine)]
  return [
    `### ${name}`,
    `\`${usage.join(' ')}\``,
    sentence(summary),
    ...(description ? [escaped(description)] : []),
    ...(destructive
      ? [
          `${destructiveWith ? `With \`--${destructiveWith}\` it` : 'It'} asks before, and is refused without a terminal unless \`--yes\` is given.`,
        ]
      : []),
    ...(inputs.length > 0 ? [inputs.join('\n')] : []),
    ...(examples.length > 0 ? [['```sh', ...examples.map((line) => `manager ${line}`), '```'].join('\n')] : []),
  ].join('\n\n')
}

function parameterText({ name, required, variadic }: Parameter): string {
  const dots = variadic ? '...' : ''
  return required ? `<${name}${dots}>` : `[${name}${dots}]`
}

function parameterLine(parameter: Parameter): string {
  return `- \`${parameterText(parameter)}\`: ${about(parameter)}`
}

function optionLine(option: Option): string {
  const { name, short, type } = option
  const value =
    { flag: '', 'yes-no': ' <yes|no>', integer: ' <number>' }[type as 'flag'] ?? ` <${name.replaceAll('_', '-')}>`
  return `- \`${short ? `-${short}, ` : ''}--${name.replaceAll('_', '-')}${value}\`: ${about(option)}`
}

function about({ summary, choices }: Parameter | Option): string {
  const among = choices ? `; one of ${choices.map((choice) => `\`${choice}\``).join(', ')}` : ''
  const text = escaped(summary.replace(/\.$/, ''))
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}${among}`
}

function sentence(text: string): string {
  return escaped(text.replace(/\.?$/, '.'))
}

/** What Markdown would take for its own; paths and names of variables stay readable. */
function escaped(text: string): string {
  return text.replaceAll(/[<*]/g, '\\$&')
}
