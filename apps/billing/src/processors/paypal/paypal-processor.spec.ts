import { describePaymentProcessor } from '../../../../../test/billing/payment-processor.contract.js';
import { openPaypalStage } from '../../../../../test/billing/paypal-stage.js';

describePaymentProcessor('PayPal', openPaypalStage);
