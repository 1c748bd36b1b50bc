import { describePaymentProcessor } from '../../../../../test/billing/payment-processor.contract.js';
import { openStripeStage } from '../../../../../test/billing/stripe-stage.js';

describePaymentProcessor('Stripe', openStripeStage);
