// SPDX-License-Identifier: Apache-2.0
/// Decodes the 64 bytes of an SQE: whether it is legal, its class, its effect, and the time of its
/// access. Rules T-SQE-3, T-SQE-9, T-SQE-10, T-SQE-12, T-SCH-8, T-CTN-1, T-CTN-2, T-DMA-8,
/// T-DMA-20, T-DMA-25, T-DMA-26, T-DMA-40, T-DMA-50, T-DMA-54, T-CPU-7, T-CORE-1, T-CORE-4,
/// T-FFT-1.
module npu_sqe_decode (
  input  logic [511:0]            sqe_i,            // word 0 lowest
  /// The type as it was read: an injected fault may have made it another (T-FLT-5)
  input  logic [5:0]              type_i,
  // What the part has; static.
  input  logic [16:0]             cfg_events_i,
  input  logic [16:0]             cfg_notifies_i,
  input  logic [16:0]             cfg_counts_i,
  input  logic [15:0]             cfg_list_most_i,
  input  logic [15:0]             cfg_aic_room_i,   // blocks of a kernel that run at once; 0: none
  input  logic [15:0]             cfg_aiv_room_i,
  input  logic [15:0]             cfg_mixed_room_i,
  input  logic [15:0]             cfg_contexts_i,   // of an FFTS+ table; 0: no such tasks
  output npu_sqe_pkg::decoded_t   decoded_o
);

  function automatic logic [31:0] word(input logic [511:0] sqe, input logic [3:0] index);
    word = sqe[{index, 5'd0} +: 32];
  endfunction

  logic [31:0] w0, w1, w2, w3, w4, w5, w6, w7, w10, w11, w12, w13, w14, w15;
  assign w0  = word(sqe_i, 4'd0);
  assign w1  = word(sqe_i, 4'd1);
  assign w2  = word(sqe_i, 4'd2);
  assign w3  = word(sqe_i, 4'd3);
  assign w4  = word(sqe_i, 4'd4);
  assign w5  = word(sqe_i, 4'd5);
  assign w6  = word(sqe_i, 4'd6);
  assign w7  = word(sqe_i, 4'd7);
  assign w10 = word(sqe_i, 4'd10);
  assign w11 = word(sqe_i, 4'd11);
  assign w12 = word(sqe_i, 4'd12);
  assign w13 = word(sqe_i, 4'd13);
  assign w14 = word(sqe_i, 4'd14);
  assign w15 = word(sqe_i, 4'd15);

  // Words 0 to 3 have fields of other blocks; of addresses that must be whole elements the low bits
  // count.
  logic unused;
  assign unused = ^{w0[15], w0[7:0], w1[15:0], w2[31], w2[29:28], w2[23:17], w3[31:26], w3[15:0],
                    w10[31:2], w11[31:2], w14[31:2], event_offset[1:0],
                    notify_offset[1:0]};

  // ---- write-value (T-SQE-9) ----

  logic [48:0] address, event_offset, notify_offset;
  logic        is_virtual, in_events, in_notifies, resets;
  assign address       = {w5[16:0], w4};
  assign is_virtual    = w5[31];
  assign event_offset  = address - npu_sqe_pkg::EventTable;
  assign notify_offset = address - npu_sqe_pkg::NotifyTable;
  // 4096 events or 512 notifies in a table, the tables 64 KiB apart
  logic [16:0] event_id, notify_id;
  assign event_id    = {1'b0, event_offset[19:16], event_offset[13:2]};
  assign notify_id   = {notify_offset[23:16], notify_offset[10:2]};
  assign in_events   = !is_virtual && address[1:0] == 2'd0 &&
                       address >= npu_sqe_pkg::EventTable && event_offset[48:20] == 29'd0 &&
                       event_offset[15:14] == 2'd0 && event_id < cfg_events_i;
  assign in_notifies = !is_virtual && address[1:0] == 2'd0 &&
                       address >= npu_sqe_pkg::NotifyTable && notify_offset[48:24] == 25'd0 &&
                       notify_offset[15:11] == 5'd0 && notify_id < cfg_notifies_i;
  assign resets        = w7 == 32'd1;

  logic store_bad;
  assign store_bad = w7 > 32'd4 || w5[22:20] > 3'd5 ||
                     (resets && !in_events && address < npu_sqe_pkg::PeerBase);

  // ---- SDMA (T-DMA-8, T-DMA-20, T-DMA-25, T-DMA-26, T-DMA-50, T-DMA-54) ----

  logic        by_rows, by_planes;
  logic [31:0] rows;
  logic [15:0] planes;
  logic [63:0] area;
  logic [79:0] volume;
  logic        bytes_bad, operation_bad, element_bad;
  logic [1:0]  touches;    // low bits of all that must be whole elements
  logic [1:0]  size_mask;

  /// T-DMA-50: the rest is in memory, and is read later
  logic pointed;
  assign pointed = w3[24];

  assign by_rows   = w4[30] && w4[15:14] == 2'd1;
  assign by_planes = w4[30] && w4[15:14] == 2'd2;
  assign rows      = by_planes ? {16'd0, w7[31:16]} : w15;
  assign planes    = by_planes ? w7[15:0] : 16'd1;
  assign area      = {32'd0, w12} * {32'd0, rows};
  assign volume    = {16'd0, area} * {64'd0, planes};
  assign bytes_bad = !w4[30]                ? w7 == 32'd0
                   : (by_rows || by_planes) ? rows == 32'd0 || volume == 80'd0 ||
                                              volume[79:40] != 40'd0
                                            : w4[15:14] != 2'd0 || w12 == 32'd0;

  logic [1:0] w8_low;
  assign w8_low = sqe_i[257:256];

  always_comb begin
    touches = w8_low | (by_planes ? w13[1:0] : w10[1:0]);
    if (by_planes)    touches = touches | w12[1:0] | w10[1:0] | w11[1:0] | w15[1:0];
    else if (by_rows) touches = touches | w12[1:0] | w13[1:0] | w14[1:0];
    else if (w4[30])  touches = touches | w12[1:0];
    else              touches = touches | w7[1:0];
  end

  always_comb begin
    element_bad = 1'b0;
    unique case (w4[7:4])
      4'd0, 4'd3:             size_mask = 2'b00;
      4'd1, 4'd4, 4'd6, 4'd8: size_mask = 2'b01;
      4'd2, 4'd5, 4'd7:       size_mask = 2'b11;
      default: begin
        size_mask   = 2'b00;
        element_bad = 1'b1;
      end
    endcase
    element_bad = element_bad || (touches & size_mask) != 2'd0;
    unique case (w4[3:0])
      4'd0, 4'd5,                                     // copy, fill
      4'd6, 4'd7, 4'd8, 4'd9: operation_bad = 1'b0;   // cache maintenance
      4'd1, 4'd2, 4'd3: operation_bad = element_bad;  // add, max, min
      default:          operation_bad = 1'b1;
    endcase
  end

  // ---- PCIe DMA (T-DMA-8, T-DMA-40) ----

  logic pcie_bad;
  assign pcie_bad = w7[0] ? w6[15:0] == 16'd0 || w6[15:0] > cfg_list_most_i || w4[4:0] != 5'd0
                          : w12 == 32'd0 && w13 == 32'd0;

  // ---- kernels (T-CORE-1, T-CORE-4, T-FFT-1) ----

  logic [15:0] room;
  logic [2:0]  kernel_class;
  logic        kernel_bad;
  always_comb begin
    unique case (w2[2:0])
      3'd0:    begin room = cfg_aic_room_i;   kernel_class = npu_sqe_pkg::ClassAic;   end
      3'd1:    begin room = cfg_aiv_room_i;   kernel_class = npu_sqe_pkg::ClassAiv;   end
      3'd5:    begin room = cfg_mixed_room_i; kernel_class = npu_sqe_pkg::ClassMixed; end
      default: begin room = 16'd0;            kernel_class = npu_sqe_pkg::ClassNone;  end
    endcase
    kernel_bad = room == 16'd0 || w0[31:16] == 16'd0 || w3[25] || (w3[24] && w0[31:16] > room);
    if (w2[2:0] == 3'd4) begin // a table of contexts, and how many of them are ready
      kernel_class = npu_sqe_pkg::ClassMixed;
      kernel_bad   = w6[15:0] == 16'd0 || w6[15:0] > cfg_contexts_i || w6[31:16] == 16'd0 ||
                     w6[31:16] > w6[15:0];
    end
  end

  // ---- all together ----

  always_comb begin
    decoded_o         = '0;
    decoded_o.effect  = npu_sqe_pkg::EffectBad;
    decoded_o.share   = npu_sqe_pkg::ClassNone;
    decoded_o.address = address;
    decoded_o.bytes   = 6'd1 << w5[22:20];
    decoded_o.wr_cqe  = w0[14];
    decoded_o.ie      = w0[9:8];
    decoded_o.pre_p   = w0[11:10];
    decoded_o.post_p  = w0[13:12];
    decoded_o.credit  = w3[23:16];
    decoded_o.task_id = w1[31:16];
    decoded_o.access  = npu_sqe_pkg::AccessNone;

    unique case (type_i)
      npu_sqe_pkg::TypePlaceholder: begin  // T-SQE-12, T-SQE-14
        if (w0[31:16] == 16'd0 || w0[11:10] == 2'd1) decoded_o.effect = npu_sqe_pkg::EffectNone;
      end
      npu_sqe_pkg::TypeEventRecord, npu_sqe_pkg::TypeEventWait: begin
        decoded_o.access  = npu_sqe_pkg::AccessEvent;
        decoded_o.id      = {1'b0, w2[15:0]};
        decoded_o.timeout = w5;
        if (decoded_o.id < cfg_events_i)
          decoded_o.effect = type_i == npu_sqe_pkg::TypeEventRecord ? npu_sqe_pkg::EffectEventRecord
                                                                    : npu_sqe_pkg::EffectEventWait;
      end
      npu_sqe_pkg::TypeNotifyRecord, npu_sqe_pkg::TypeNotifyWait: begin
        decoded_o.access  = npu_sqe_pkg::AccessNotify;
        decoded_o.id      = w2[16:0];
        decoded_o.timeout = w4;
        if (w2[30]) begin  // T-CTN-1, T-CTN-2
          if ((type_i == npu_sqe_pkg::TypeNotifyRecord ? 32'd3 : 32'd4) >= w5 &&
              decoded_o.id < cfg_counts_i)
            decoded_o.effect = type_i == npu_sqe_pkg::TypeNotifyRecord
                             ? npu_sqe_pkg::EffectCountRecord : npu_sqe_pkg::EffectCountWait;
        end else if (decoded_o.id < cfg_notifies_i) begin
          decoded_o.effect = type_i == npu_sqe_pkg::TypeNotifyRecord
                           ? npu_sqe_pkg::EffectNotifyRecord : npu_sqe_pkg::EffectNotifyWait;
        end
      end
      npu_sqe_pkg::TypeWriteValue: begin
        decoded_o.access = in_events   ? npu_sqe_pkg::AccessEvent
                         : in_notifies ? npu_sqe_pkg::AccessNotify
                                       : npu_sqe_pkg::AccessStore;
        decoded_o.id = in_events ? event_id : notify_id;
        if (!store_bad) begin
          if (in_events)
            decoded_o.effect = sqe_i[256] ? npu_sqe_pkg::EffectEventRecord
                                          : npu_sqe_pkg::EffectEventClear;
          else if (in_notifies)
            decoded_o.effect = sqe_i[256] ? npu_sqe_pkg::EffectNotifyRecord
                                          : npu_sqe_pkg::EffectNotifyClear;
          else if (is_virtual)
            decoded_o.effect = npu_sqe_pkg::EffectStore;
          else
            decoded_o.effect = address >= npu_sqe_pkg::PeerBase ? npu_sqe_pkg::EffectRemote
                                                                : npu_sqe_pkg::EffectNowhere;
        end
      end
      npu_sqe_pkg::TypeSdma: begin
        decoded_o.share = npu_sqe_pkg::ClassSdma;
        if (pointed ? w4[5:0] == 6'd0 : !bytes_bad && !operation_bad)
          decoded_o.effect = npu_sqe_pkg::EffectDispatch;
      end
      npu_sqe_pkg::TypeDsa: begin  // T-RND-1: what it names is read later
        decoded_o.share  = npu_sqe_pkg::ClassSdma;
        decoded_o.effect = npu_sqe_pkg::EffectDispatch;
      end
      npu_sqe_pkg::TypePcieDma: begin
        decoded_o.share = npu_sqe_pkg::ClassPcieDma;
        if (!pcie_bad) decoded_o.effect = npu_sqe_pkg::EffectDispatch;
      end
      npu_sqe_pkg::TypeCond: begin
        decoded_o.share  = npu_sqe_pkg::ClassCond;
        decoded_o.effect = npu_sqe_pkg::EffectDispatch;
      end
      npu_sqe_pkg::TypeAiCpu: begin
        decoded_o.share = npu_sqe_pkg::ClassCpuTopic;
        if (w2[27:24] == 4'd4) decoded_o.effect = npu_sqe_pkg::EffectDispatch;  // T-CPU-7
      end
      npu_sqe_pkg::TypeAiCore: begin
        decoded_o.share = kernel_class;
        if (!kernel_bad) decoded_o.effect = npu_sqe_pkg::EffectDispatch;
      end
      default: ;
    endcase
  end

endmodule
