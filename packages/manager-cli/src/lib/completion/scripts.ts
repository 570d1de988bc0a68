/** Shells that there are scripts for. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/*
 * Each script hands the words before the cursor to `manager complete`, as arguments and never as text to evaluate: what
 * a user is typing must not run. An answer is a line per candidate, its description after a tab; or the one line
 * `:files`.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of manager; in ~/.bashrc: eval "$(manager completion bash)"
_manager_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then compopt -o default; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _manager_complete manager
`,
  zsh: `#compdef manager
# zsh completion of manager; in ~/.zshrc, after compinit: eval "$(manager completion zsh)"
_manager() {
  local line value
  local -a candidates
  while IFS= read -r line; do
    if [[ $line == :files ]]; then _files; return; fi
    value=\${line%%$'\\t'*}
    candidates+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe manager candidates
}
compdef _manager manager
`,
  fish: `# fish completion of manager; in ~/.config/fish/config.fish: manager completion fish | source
function __manager_complete
    set -l words (commandline -opc)
    set -l lines (command $words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if test "$lines" = :files
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $lines
    end
end
complete -c manager -f -a '(__manager_complete)'
`,
}

/** What a shell evaluates to complete commands of the manager. */
export function completionScript(shell: Shell): string {
  return scripts[shell]
}
