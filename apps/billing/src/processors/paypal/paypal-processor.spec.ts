import { describePaymentProcessor } from '../../../../../test/billing/payment-processor.contract.js';
import { openPaypalHarness } from '../../../../../test/billing/paypal-harness.js';

describePaymentProcessor('PayPal', openPaypalHarness);
