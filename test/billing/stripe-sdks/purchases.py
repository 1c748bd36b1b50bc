"""Makes the same purchases as stripe-sdks.spec.ts with Stripe's Python SDK. Prints the results as JSON."""

import json
import sys

import requests
import stripe

url = sys.argv[1]
client = stripe.StripeClient("sk_test_simulator", base_addresses={"api": url}, max_network_retries=0)
v1 = client.v1
seen = []


def press(page, button):
    # Like a browser on this machine, without a proxy.
    browser = requests.Session()
    browser.trust_env = False
    answer = browser.post(f"{page}/{button}", allow_redirects=False)
    assert answer.status_code == 303, answer.status_code


def refusal(call):
    try:
        call()
    except stripe.StripeError as error:
        body = error.json_body["error"]
        seen.append([error.http_status, body["type"], body.get("code"), body.get("param")])
    else:
        seen.append("no refusal")


def session(**params):
    urls = {"success_url": "http://localhost/paid", "cancel_url": "http://localhost/not-paid"}
    return v1.checkout.sessions.create({**urls, **params})


def item(cents):
    price = {"currency": "usd", "unit_amount": cents, "product_data": {"name": "Credits"}}
    return {"price_data": price, "quantity": 1}


key = {"idempotency_key": f"{sys.argv[2]}"}
customer = v1.customers.create({"metadata": {"account": "1"}}, key)
again = v1.customers.create({"metadata": {"account": "1"}}, key)
seen.append(again.id == customer.id and again.last_response.headers.get("Idempotent-Replayed"))
refusal(lambda: v1.customers.create({"metadata": {"account": "2"}}, key))

buyer = {"customer": customer.id, "mode": "payment"}
refusal(lambda: session(**buyer, line_items=[item(49)]))
refusal(lambda: session(customer="cus_unknown", mode="payment", line_items=[item(1900)]))
refusal(lambda: session(**buyer))
refusal(lambda: session(**buyer, line_items=[{**item(1900), "colour": "red"}]))

bought = session(**buyer, line_items=[item(1900)])
press(bought.url, "pay")
paid = v1.checkout.sessions.retrieve(bought.id, {"expand": ["payment_intent"]})
seen.append([paid.status, paid.payment_status, paid.payment_intent.amount_received])
refund = {"payment_intent": paid.payment_intent.id}
refusal(lambda: v1.refunds.create({**refund, "amount": 1901}))
seen.append(v1.refunds.create(refund).status)
refusal(lambda: v1.refunds.create(refund))
refusal(lambda: v1.refunds.create({"payment_intent": "pi_unknown"}))

price = v1.prices.create(
    {
        "currency": "usd",
        "unit_amount": 1900,
        "recurring": {"interval": "month"},
        "product_data": {"name": "Plan"},
    }
)
plan = session(customer=customer.id, mode="subscription", line_items=[{"price": price.id, "quantity": 1}])
press(plan.url, "pay")
subscription = v1.checkout.sessions.retrieve(plan.id).subscription
seen.append(v1.subscriptions.retrieve(subscription).items.data[0].quantity)
seen.append(v1.subscriptions.cancel(subscription).status)
refusal(lambda: v1.subscriptions.cancel(subscription))
refusal(lambda: v1.customers.retrieve("cus_unknown"))

for _ in range(4):
    v1.customers.create({})
everyone = [one.id for one in v1.customers.list({"limit": 2}).auto_paging_iter()]
seen.append([len(set(everyone)) == len(everyone) >= 5, everyone.index(customer.id) >= 4])
print(json.dumps(seen))
