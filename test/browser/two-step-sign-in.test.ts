import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import decodeQR from 'qr/decode.js'
import sharp from 'sharp'
import { assertSucceeded, PASSWORD } from '../support/api.ts'
import { axeFindings, loadAxe, PHONE, withAccountBrowser } from '../support/browser.ts'
import { appCode, passFirstStep, passSecondStep, wrongAppCode } from '../support/second-factor.ts'

const CODES = /[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}/g

for (const javaScriptEnabled of [true, false]) {
  describe(`two-step sign-in in a browser ${javaScriptEnabled ? 'with scripts' : 'without scripts'}`, () => {
    const parts = withAccountBrowser({ javaScriptEnabled })

    it('is set up by scanning the QR code, and then asks for a code or a recovery code', async () => {
      const person = await parts.begin()
      const { page } = person
      const email = await person.signUp()
      await person.go('/account/security')
      await person.press('Add an app')
      assert.equal(await person.heading(), 'Add an authenticator app')
      const image = page.getByRole('img', { name: 'QR code for your authenticator app' })
      const { data, info } = await sharp(await image.screenshot({ scale: 'css' }))
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
      const uri = new URL(decodeQR({ width: info.width, height: info.height, data }))
      const secret = uri.searchParams.get('secret') ?? ''
      assert.equal(uri.protocol, 'otpauth:')
      const typed = await page.locator('main code').innerText()
      assert.equal(typed.replaceAll(' ', ''), secret)

      await person.fill({ Code: wrongAppCode(secret) })
      await person.press('Turn two-step sign-in on')
      assert.match(await person.message(), /The code is wrong/)
      await person.fill({ Code: appCode(secret) })
      await person.press('Turn two-step sign-in on')
      assert.equal(await person.heading(), 'Your recovery codes')
      const codes = (await page.locator('.recovery-codes').innerText()).match(CODES) ?? []
      assert.equal(codes.length, 10)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download as a file' }).click(),
      ])
      assert.equal(download.suggestedFilename(), 'recovery-codes.txt')
      assert.deepEqual((await readFile(await download.path(), 'utf8')).match(CODES), codes)
      assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), javaScriptEnabled ? 1 : 0)
      await page.getByRole('link', { name: 'I have saved them' }).click()
      assert.match(await page.getByRole('main').innerText(), /10 recovery codes are left/)

      const other = await parts.begin()
      await other.logIn(email)
      assert.equal(await other.heading(), 'Confirm that it is you')
      assert.equal(await other.page.locator(':focus').getAttribute('name'), 'code')
      // The code that confirmed the app was used. The next one is accepted one step early.
      await other.fill({ Code: appCode(secret, 1) })
      await other.page.getByLabel('Remember this browser for 30 days').check()
      await other.press('Log in')
      assert.equal(await other.heading(), 'Profile')
      await other.go('/account/security')
      assert.match(await other.page.getByRole('main').innerText(), /This browser/)

      const third = await parts.begin()
      await third.logIn(email)
      await third.page.getByText('Use a recovery code instead').click()
      await third.fill({ 'Recovery code': codes[0] as string })
      await third.press('Log in with a recovery code')
      assert.equal(await third.heading(), 'Profile')
      const challenge = await passFirstStep(parts.service, { email, password: PASSWORD })
      assertSucceeded(await passSecondStep(parts.service, challenge, { recoveryCode: codes[1] as string }))
      for (const { assertNoErrors } of [person, other, third]) assertNoErrors()
    })
  })
}

describe('the pages of two-step sign-in', () => {
  const parts = withAccountBrowser({ bypassCSP: true, reducedMotion: 'reduce' })

  it('are accessible in light and dark, and fit on a phone', async () => {
    const person = await parts.begin()
    const { page } = person
    await loadAxe(page)
    const assertSound = async (name: string) => {
      await page.setViewportSize(PHONE)
      const wide = await page.evaluate<number>('document.scrollingElement.scrollWidth')
      assert.ok(wide <= PHONE.width, `${name} is ${wide} pixels wide`)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await axeFindings(page), [], `${name} in ${colorScheme}`)
      }
    }
    const email = await person.signUp()
    await person.go('/account/security')
    await assertSound('off')
    await person.press('Add an app')
    const secret = (await page.locator('main code').innerText()).replaceAll(' ', '')
    await assertSound('set-up')
    await person.fill({ Code: wrongAppCode(secret) })
    await person.press('Turn two-step sign-in on')
    await assertSound('set-up-refused')
    await person.fill({ Code: appCode(secret) })
    await person.press('Turn two-step sign-in on')
    await assertSound('recovery-codes')
    await person.go('/account/security')
    await assertSound('on')
    await page.context().clearCookies()
    await person.logIn(email)
    await assertSound('second-step')
    await page.getByText('Use a recovery code instead').click()
    await person.fill({ 'Recovery code': '00000-00000' })
    await person.press('Log in with a recovery code')
    await assertSound('second-step-refused')
  })
})
