import { Column, Entity } from 'typeorm';
import { PurchasedLine } from '../pricing/purchased-line.entity.js';

@Entity('order_lines')
export class OrderLine extends PurchasedLine {
  @Column('uuid', { name: 'order_id' })
  orderId: string;
}
