export type CheckoutAction =
  'pay' | 'three-d-secure' | 'decline' | 'delayed' | 'delayed-failing' | 'abandon';

/** Acts as a customer on a checkout page. @returns the URL of the redirect, or the text of the page. */
export async function pressButton(pageUrl: string, action: CheckoutAction): Promise<string> {
  if (action === 'three-d-secure') {
    await press(pageUrl, action);
    return press(pageUrl, 'authenticate');
  }
  return press(pageUrl, action);
}

/** Agrees to a plan change on its page. If a checkout page follows, pays or takes another action there. */
export async function agreeAtPaypal(
  pageUrl: string,
  action: CheckoutAction = 'pay',
): Promise<void> {
  const next = new URL(await press(pageUrl, 'agree'));
  next.search = '';
  if (next.pathname.includes('/checkoutnow/')) await press(next.href, action);
}

async function press(pageUrl: string, action: string): Promise<string> {
  const answer = await fetch(`${pageUrl}/${action}`, { method: 'POST', redirect: 'manual' });
  return answer.headers.get('location') ?? answer.text();
}
