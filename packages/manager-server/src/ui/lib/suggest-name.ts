const animals = [
  ...['badger', 'beaver', 'bison', 'camel', 'cobra', 'crane', 'dingo', 'eagle', 'falcon', 'ferret', 'gecko', 'heron'],
  ...['ibis', 'jaguar', 'koala', 'lemur', 'lynx', 'marten', 'mole', 'newt', 'ocelot', 'otter', 'panda', 'puffin'],
  ...['quail', 'raven', 'robin', 'salmon', 'seal', 'stork', 'swan', 'tapir', 'tiger', 'toucan', 'walrus', 'zebra'],
]

/** A name that people can read and say, such as `otter42`, and that none has. */
export function suggestName(isTaken: (name: string) => boolean, random: () => number = Math.random): string {
  for (let digits = 2; ; digits++)
    for (let attempt = 0; attempt < 20; attempt++) {
      const animal = animals[Math.floor(random() * animals.length)] as string
      const name = `${animal}${String(random())
        .slice(2, 2 + digits)
        .padEnd(digits, '0')}`
      if (!isTaken(name)) return name
    }
}
