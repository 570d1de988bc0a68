import { groupOf } from './attack.js'

export const terminalAttacks = groupOf('quiet', [
  {
    name: 'types into the terminal of its caller',
    plant: `cat >data/.bashrc <<END
touch $MARKS/shell
perl -e 'ioctl(STDIN, 0x5412, \\$_) for split //, " touch $MARKS/typed\\\\n"' 2>/dev/null
END`,
  },
  {
    name: 'start files of programs',
    plant: `for f in .profile .bash_profile .shrc .zshrc .netrc; do echo "touch $MARKS/start-file" >"data/$f"; done
      echo ".shell touch $MARKS/sqliterc" >data/.sqliterc
      echo "\\\\! touch $MARKS/psqlrc" >data/.psqlrc
      printf '[client]\\nsocket=%s\\n' "$SECRET" >data/.my.cnf
      printf '[core]\\nfsmonitor = touch %s/git\\n' "$MARKS" >data/.gitconfig`,
  },
])
