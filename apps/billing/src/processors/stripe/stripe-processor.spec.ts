import { describePaymentProcessor } from '../../../../../test/billing/payment-processor.contract.js';
import { openStripeHarness } from '../../../../../test/billing/stripe-harness.js';

describePaymentProcessor('Stripe', openStripeHarness);
