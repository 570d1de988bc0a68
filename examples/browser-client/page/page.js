import { createClient, RestClientError } from './client/index.js'

/** @param {string} id */
const part = (id) => /** @type {any} */ (document.getElementById(id))
let client
let books
let searching = new AbortController()

onSubmit('sign-in', async (values) => {
  client = createClient({ url: new URL('api/rest', document.baseURI).href, credentials: values })
  const { login } = await client.login()
  books = client.object('Book')
  part('sign-in').hidden = true
  part('shelf').hidden = false
  say(`Signed in as ${login}.`)
  await show()
})

onSubmit('add', async (values, form) => {
  const { bok_title } = await books.create({ ...values, bok_pages: values.bok_pages || null })
  form.reset()
  say(`Added "${bok_title}".`)
  await show()
})

part('find').addEventListener('input', () => attempt(show))

/** Lists the books that are looked for, each as soon as it arrives; a new search ends the one before. */
async function show() {
  searching.abort()
  const { signal } = (searching = new AbortController())
  const text = part('find').value.trim()
  const found = []
  const filters = text ? { bok_title: `*${text.replaceAll(/[*%_\\]/g, '\\$&')}*` } : {}
  for await (const book of books.search({ filters, signal })) found.push(entry(book))
  part('books').replaceChildren(...found)
}

function entry(book) {
  const item = document.createElement('li')
  const label = document.createElement('label')
  const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: book.bok_read })
  box.addEventListener('change', () => attempt(() => books.update(book.row_id, { bok_read: box.checked })))
  label.append(box, book.bok_pages ? `${book.bok_title} (${book.bok_pages} pages)` : book.bok_title)
  item.append(label)
  return item
}

function onSubmit(id, work) {
  part(id).addEventListener('submit', (event) => {
    event.preventDefault()
    return attempt(() => work(Object.fromEntries(new FormData(event.target)), event.target))
  })
}

/** Shows what the service refuses, each message in a line of its own. */
async function attempt(work) {
  try {
    await work()
  } catch (error) {
    if (error?.name === 'AbortError') return
    const messages = RestClientError.is(error) ? error.messages.map(({ text }) => text) : []
    say(messages.join(' ') || error.message)
  }
}

function say(text) {
  part('message').textContent = text
}
