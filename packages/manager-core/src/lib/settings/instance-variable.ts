import { ManagerError } from '../../errors.js'
import { didYouMean } from '../domain/near-miss.js'
import { isSecretName } from '../domain/secret-names.js'
import { instanceTable } from './tables/instance.js'
import type { Variable } from './variable.js'

/** A variable of an instance: one of the manager's table, or one of the application's own. */
export interface InstanceVariable {
  readonly name: string
  readonly row: Variable
  /** The manager does not use it: the application gets it. */
  readonly isOwn: boolean
}

/** @throws ManagerError ERR_USAGE when no instance has a variable of this name */
export function instanceVariableOf(name: string): InstanceVariable {
  if (Object.hasOwn(instanceTable, name))
    return { name, row: instanceTable[name as keyof typeof instanceTable], isOwn: false }
  if (!/^[A-Za-z]\w{0,99}$/.test(name))
    throw new ManagerError('ERR_USAGE', `"${name.slice(0, 40)}" is not the name of a variable.`, {
      help: 'Use up to 100 letters, digits and underscores, with a letter first.',
    })
  if (/^(APPS|SERVICE)_/i.test(name)) {
    const help = didYouMean(name, Object.keys(instanceTable))
    throw new ManagerError('ERR_USAGE', `Instances have no variable "${name}".`, help === undefined ? {} : { help })
  }
  return { name, row: isSecretName(name) ? ofSecret : ofText, isOwn: true }
}

const shared = {
  section: 'Application',
  summary: 'Variable of the application',
  change: { needs: [], from: 'start' },
} as const
const ofText: Variable = { type: 'text', ...shared }
const ofSecret: Variable = { type: 'secret', ...shared }

/**
 * Whether programs other than the application take a variable for theirs: shells, the dynamic linker, Node.js, Java,
 * clients of databases and networks, the application server. Hooks have the variables of their instance and the rights of
 * the manager, so a value of one of these can be code that runs as the manager.
 */
export function isTakenByPrograms(name: string): boolean {
  const upper = name.toUpperCase()
  return families.has(upper.split('_', 1)[0] as string) || names.has(upper) || shapes.test(upper)
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** First words of names: `LD` is `LD` and all of `LD_…`. */
const families = words(`
  LD DYLD GLIBC MALLOC GCONV LC NIS RES RESOLV TERMINFO STEWARD SYSTEMD LISTEN NOTIFY DBUS XDG SUDO
  NODE NPM YARN PNPM COREPACK UV JAVA JDK JRE JVM CATALINA TOMCAT JPDA JSSE BASH ZSH KSH SHELL PROMPT HIST READLINE
  PYTHON PERL PERL5 RUBY GEM BUNDLE PHP LUA GO GCC GIT SSH GPG GNUPG SSL OPENSSL CURL WGET HTTP HTTPS FTP REQUESTS
  AWS GOOGLE CLOUDSDK AZURE BOTO OS RCLONE RESTIC DOCKER COMPOSE KUBECONFIG ORACLE TNS NLS MYSQL MARIADB SQLCMD ODBC
  LESS TAR GZIP ZSTD RSYNC APT DPKG DEBCONF PSQL SQLITE ANSIBLE TF TERRAFORM PIP CARGO DENO BUN LIBMYSQL MAKE CVS SVN KRB5
  SASL COMP`)
const names = words(`
  HOME USER LOGNAME UID EUID GID GROUPS PWD OLDPWD MAIL TERM TZ LANG LANGUAGE IFS ENV PAGER EDITOR VISUAL BROWSER
  TMP TEMP TMPDIR HOSTALIASES SHELLOPTS POSIXLY_CORRECT ALL_PROXY NO_PROXY GLOBIGNORE EXECIGNORE FIGNORE FCEDIT TMOUT
  FUNCNEST HOSTFILE INPUTRC TIMEFORMAT ZDOTDIR MAILCHECK MAILRC EXINIT VIMINIT SYSEDITOR MANPAGER DISPLAY XAUTHORITY
  LDAPCONF LDAPRC CC CXX OPTIND OPTARG OPTERR`)
const shapes =
  /^(?:PG|PYTHON|PERL|RUBY|BASH|HIST|LESS|PSQL|KRB5|MAKE)[A-Z0-9]+$|^PS[0-4]$|^[A-Z]*PATH$|_(?:OPTIONS|OPTS|FLAGS|PRELOAD)$/
