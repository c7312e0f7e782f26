// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Transfers burst by burst: channels (npu_dma), links (npu_link), and what is due when between the
/// two. It keeps time by itself: "run" moves bursts until a time. Rules T-BST-1 to T-BST-4.
module npu_burst #(
  /// Transfers at once: 8 to 1024, a power of two
  parameter int unsigned Transfers = 128,
  /// Links: 2 to Transfers, a power of two
  parameter int unsigned Links = 8,
  /// Bits of a weight
  parameter int unsigned WeightWidth = 8,
  localparam int unsigned TransferWidth = $clog2(Transfers),
  localparam int unsigned LinkWidth = $clog2(Links)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // From the profile; still after the first transfer
  input  logic [31:0]              cfg_burst_bytes_i,
  input  logic [16:0]              cfg_outstanding_i,

  // An operation; its operands hold until the response
  input  logic                     req_valid_i,
  output logic                     req_ready_o,
  input  logic [1:0]               req_op_i,        // 0 rate, 1 start, 2 cancel, 3 run
  input  logic [63:0]              req_now_i,       // in cycles; never falls
  input  logic [TransferWidth-1:0] req_transfer_i,  // start, cancel
  input  logic [LinkWidth-1:0]     req_link_i,      // rate
  input  logic [63:0]              req_rate_i,      // rate: as in npu_link
  input  logic [2:0]               req_count_i,     // start: its way, as in npu_link
  input  logic [4*LinkWidth-1:0]   req_links_i,
  input  logic [4*WeightWidth-1:0] req_weights_i,
  input  logic [63:0]              req_src_i,       // start: as in npu_dma
  input  logic [63:0]              req_dst_i,
  input  logic [63:0]              req_bytes_i,
  input  logic [63:0]              req_ceiling_i,

  output logic                     rsp_valid_o,
  input  logic                     rsp_ready_i,
  output logic                     rsp_last_o,      // one response each
  output logic                     rsp_error_o,     // nothing was done: see the page
  output logic                     rsp_done_o,      // run: a transfer is complete; run again
  output logic [TransferWidth-1:0] rsp_transfer_o,  // which one

  // A burst begins; high for one clock
  output logic                     ax_valid_o,
  output logic [TransferWidth-1:0] ax_id_o,
  output logic [63:0]              ax_src_o,
  output logic [63:0]              ax_dst_o,
  output logic [31:0]              ax_bytes_o,
  output logic                     ax_last_o,

  // When something happens next, at rest
  output logic                     next_valid_o,
  output logic [63:0]              next_time_o,     // cycles, rounded up

  output logic                     busy_o           // needs the clock
);
  `NPU_POWER_OF_TWO(Transfers, 8, 1024)
  `NPU_POWER_OF_TWO(Links, 2, Transfers)
  `NPU_RANGE(WeightWidth, 1, 8)

  localparam int unsigned Parts = 20;  // binary digits after the point of a time
  // what begins before the end of time may end after
  localparam int unsigned TimeBits = 65 + Parts;
  localparam int unsigned EventWidth = TransferWidth + 1;  // {of a link, its number}

  localparam logic [1:0] OpRate   = 2'd0;
  localparam logic [1:0] OpStart  = 2'd1;
  localparam logic [1:0] OpCancel = 2'd2;
  localparam logic [1:0] OpRun    = 2'd3;

  localparam logic [2:0] LinkRate   = 3'd0;
  localparam logic [2:0] LinkOpen   = 3'd1;
  localparam logic [2:0] LinkArrive = 3'd2;
  localparam logic [2:0] LinkPassed = 3'd3;
  localparam logic [2:0] LinkNext   = 3'd4;
  localparam logic [2:0] LinkCancel = 3'd5;

  localparam logic [1:0] DmaStart  = 2'd0;
  localparam logic [1:0] DmaCancel = 2'd1;
  localparam logic [1:0] DmaResume = 2'd2;

  typedef enum logic [3:0] {
    StBoot,     // after reset: until all parts are clear
    StIdle,
    StDue,      // run: is something due?
    StLink,     // npu_link is asked
    StLinkRsp,  // a burst that begins to pass has its end put into the calendar
    StLinked,
    StDma,      // npu_dma gets a request, or the response of a burst that has passed its last link
    StPump,     // what its channel does: bursts that begin, then the response; a hold goes into the
                // calendar
    StOff,      // cancel: no channel is held any more
    StRespond
  } state_e;

  state_e state_d, state_q;
  logic [1:0]               op_d, op_q;
  logic [2:0]               link_op_d, link_op_q;
  logic                     passed_d, passed_q;      // StDma: a burst has passed its last link
  logic [TimeBits-1:0]      now_d, now_q;            // of the event, in parts
  logic [TransferWidth-1:0] transfer_d, transfer_q;
  logic [LinkWidth-1:0]     link_d, link_q;          // whose burst has passed
  logic                     error_d, error_q, done_d, done_q;
  logic [TransferWidth-1:0] complete_d, complete_q;  // the transfer
  logic                     final_q;                 // npu_link: the burst that left was the last

  // ---- what is due when: ends of bursts on links, channels that go on ----

  logic                    set_valid, set_on, calendar_ready, first_valid, pending;
  logic [EventWidth-1:0]   set_id, first_id;
  logic [63:0]             set_low;  // of the time: what the parts give of it
  logic [63:0]             ahead;
  logic                    beyond;   // the end of time
  logic [TimeBits-1:0]     set_time, first_time;

  npu_tournament #(.Entries(2 * Transfers), .KeyBits(TimeBits)) u_calendar (
    .clk_i, .rst_ni,
    .req_valid_i  (set_valid),
    .req_ready_o  (calendar_ready),
    .req_set_i    (set_on),
    .req_id_i     (set_id),
    .req_key_i    (set_time),
    .look_id_i    ('0),
    .pending_o    (pending),
    .first_valid_o(first_valid),
    .first_id_o   (first_id),
    .first_key_o  (first_time)
  );
  assign {beyond, next_time_o} = 65'((first_time + TimeBits'((1 << Parts) - 1)) >> Parts);
  // Nothing is due before now, nor 2^43 cycles later.
  assign ahead      = set_low - now_q[63:0];
  assign set_time   = now_q + {{(TimeBits - 64){1'b0}}, ahead};

  // ---- links ----

  logic                     link_ready, link_rsp, link_error, link_left, link_final, link_grant;
  logic                     link_busy, link_last;
  logic [31:0]              granted_bytes;
  logic [LinkWidth-1:0]     granted;
  logic [TransferWidth-1:0] owner;
  logic [63:0]              until_time;

  npu_link #(.Transfers(Transfers), .Links(Links), .WeightWidth(WeightWidth)) u_link (
    .clk_i, .rst_ni, .cfg_burst_bytes_i,
    .req_valid_i   (state_q == StLink),
    .req_ready_o   (link_ready),
    .req_op_i      (link_op_q),
    .req_now_i     (now_q[63:0]),
    .req_transfer_i(transfer_q),
    .req_link_i    (link_q),
    .req_rate_i, .req_count_i, .req_links_i, .req_weights_i,
    .req_bytes_i   (ax_bytes_o),
    .req_last_i    (ax_last_o),
    .rsp_valid_o   (link_rsp),
    .rsp_ready_i   (state_q == StLinkRsp && (!link_grant || calendar_ready)),
    .rsp_last_o    (link_last),
    .rsp_error_o   (link_error),
    .rsp_left_o    (link_left),
    .rsp_final_o   (link_final),
    .rsp_grant_o   (link_grant),
    .rsp_link_o    (granted),
    .rsp_transfer_o(owner),
    .rsp_bytes_o   (granted_bytes),
    .rsp_until_o   (until_time),
    .busy_o        (link_busy)
  );

  // ---- channels ----

  logic                     dma_ready, dma_b_ready, dma_ax, dma_rsp, dma_error, dma_done, dma_hold;
  logic                     dma_busy, taken;
  logic [TransferWidth-1:0] dma_channel;
  logic [63:0]              hold_at;

  npu_dma #(.Channels(Transfers)) u_dma (
    .clk_i, .rst_ni, .cfg_burst_bytes_i, .cfg_outstanding_i,
    .now_i        (now_q[63:0]),
    .req_valid_i  (state_q == StDma && !passed_q),
    .req_ready_o  (dma_ready),
    .req_op_i     (op_q == OpStart ? DmaStart : op_q == OpCancel ? DmaCancel : DmaResume),
    .req_channel_i(transfer_q),
    .req_src_i, .req_dst_i, .req_bytes_i, .req_ceiling_i,
    .ax_valid_o   (dma_ax),
    .ax_ready_i   (taken),
    .ax_id_o, .ax_src_o, .ax_dst_o, .ax_bytes_o, .ax_last_o,
    .b_valid_i    (state_q == StDma && passed_q),
    .b_ready_o    (dma_b_ready),
    .b_id_i       (transfer_q),
    .rsp_valid_o  (dma_rsp),
    .rsp_ready_i  (state_q == StPump && (!dma_hold || calendar_ready)),
    .rsp_channel_o(dma_channel),
    .rsp_error_o  (dma_error),
    .rsp_done_o   (dma_done),
    .rsp_hold_o   (dma_hold),
    .rsp_hold_at_o(hold_at),
    .busy_o       (dma_busy)
  );

  // ---- one after the other ----

  always_comb begin
    state_d    = state_q;
    op_d       = op_q;
    link_op_d  = link_op_q;
    passed_d   = passed_q;
    now_d      = now_q;
    transfer_d = transfer_q;
    link_d     = link_q;
    error_d    = error_q;
    done_d     = done_q;
    complete_d = complete_q;

    set_valid = 1'b0;
    set_on    = 1'b1;
    set_id    = {1'b0, transfer_q};
    set_low   = hold_at;
    taken     = 1'b0;

    unique case (state_q)
      StBoot: if (!dma_busy && !link_busy && calendar_ready) state_d = StIdle;

      StIdle: begin
        if (req_valid_i) begin
          op_d       = req_op_i;
          now_d      = {1'b0, req_now_i, Parts'(0)};
          transfer_d = req_transfer_i;
          link_d     = req_link_i;
          passed_d   = 1'b0;
          error_d    = 1'b0;
          done_d     = 1'b0;
          link_op_d  = req_op_i == OpRate ? LinkRate : req_op_i == OpStart ? LinkOpen : LinkCancel;
          state_d    = req_op_i == OpRun ? StDue : StLink;
          if (req_op_i == OpStart && req_bytes_i == '0) begin
            error_d = 1'b1;
            state_d = StRespond;
          end
        end
      end

      // ---- run: what is due first ----

      StDue: begin
        if (calendar_ready) begin
          state_d = StRespond;
          if (first_valid && first_time <= {1'b0, req_now_i, Parts'(0)} && !done_q) begin
            now_d      = first_time;
            passed_d   = 1'b0;
            transfer_d = first_id[TransferWidth-1:0];
            link_d     = first_id[LinkWidth-1:0];
            link_op_d  = LinkPassed;
            set_valid  = 1'b1;
            set_on     = 1'b0;
            set_id     = first_id;
            state_d    = first_id[TransferWidth] ? StLink : StDma;
          end
        end
      end

      // ---- links ----

      StLink: if (link_ready) state_d = StLinkRsp;

      StLinkRsp: begin
        if (link_rsp) begin
          error_d = link_error;
          state_d = StLinked;
          if (link_grant && calendar_ready) begin
            set_valid = 1'b1;
            set_id    = {1'b1, TransferWidth'(granted)};
            set_low   = until_time;
          end else if (link_grant) begin
            state_d = StLinkRsp;
          end
          if (link_left) begin
            passed_d   = 1'b1;
            transfer_d = owner;
          end
        end
      end

      StLinked: begin
        unique case (link_op_q)
          LinkOpen, LinkCancel: state_d = error_q ? StRespond : StDma;
          LinkArrive: begin
            taken   = 1'b1;
            state_d = StPump;
          end
          LinkPassed: begin
            link_op_d = LinkNext;
            state_d   = passed_q ? StDma : StLink;
          end
          LinkNext: state_d = StDue;
          default:  state_d = StRespond;  // LinkRate
        endcase
      end

      // ---- channels ----

      StDma: if (passed_q ? dma_b_ready : dma_ready) state_d = StPump;

      StPump: begin
        if (dma_ax) begin
          link_op_d = LinkArrive;
          state_d   = StLink;
        end else if (dma_rsp && (!dma_hold || calendar_ready)) begin
          set_valid  = dma_hold;
          done_d     = dma_done;
          complete_d = transfer_q;
          if (op_q == OpCancel) begin
            state_d = StOff;
          end else if (op_q == OpStart) begin
            state_d = StRespond;
          end else begin
            link_op_d = LinkNext;
            state_d   = passed_q ? StLink : StDue;
          end
        end
      end

      StOff: begin
        set_valid = calendar_ready;
        set_on    = 1'b0;
        if (calendar_ready) state_d = StRespond;
      end

      default: if (rsp_ready_i && calendar_ready) state_d = StIdle;  // StRespond
    endcase
  end

  assign req_ready_o    = state_q == StIdle;
  assign rsp_valid_o    = state_q == StRespond && calendar_ready;
  assign rsp_last_o     = 1'b1;
  assign rsp_error_o    = error_q;
  assign rsp_done_o     = done_q;
  assign rsp_transfer_o = complete_q;
  assign ax_valid_o     = taken;
  assign next_valid_o   = first_valid && !beyond;
  assign busy_o         = state_q != StIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StBoot;
      {op_q, link_op_q, passed_q, now_q, transfer_q, link_q, error_q, done_q, complete_q, final_q}
       <= '0;
    end else begin
      state_q    <= state_d;
      op_q       <= op_d;
      link_op_q  <= link_op_d;
      passed_q   <= passed_d;
      now_q      <= now_d;
      transfer_q <= transfer_d;
      link_q     <= link_d;
      error_q    <= error_d;
      done_q     <= done_d;
      complete_q <= complete_d;
      if (link_rsp && link_op_q == LinkPassed) final_q <= link_final;
    end
  end

  logic unused;
  assign unused = ^{pending, link_last, granted_bytes};

  `NPU_ASSERT(CalendarTakes, set_valid |-> calendar_ready)
  // Channels and links know the same transfers, and both see which burst is the last.
  `NPU_ASSERT(ChannelAgrees, dma_rsp |-> !dma_error && dma_channel == transfer_q)
  `NPU_ASSERT(LinkAgrees, link_rsp && (link_op_q == LinkArrive || link_op_q == LinkPassed) |->
              !link_error)
  `NPU_ASSERT(OneEndForBoth, state_q == StPump && dma_rsp && passed_q |-> dma_done == final_q)
  `NPU_ASSERT(NothingIsDueBefore, set_valid && set_on |-> !ahead[63])
  `NPU_ASSERT(OperandsHeld, busy_o && state_q != StBoot && state_q != StRespond |->
              $stable(req_bytes_i) && $stable(req_links_i) && $stable(req_weights_i) &&
              $stable(req_src_i) && $stable(req_dst_i) && $stable(req_ceiling_i))
  `NPU_ASSERT(RspHeld, rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_error_o) &&
              $stable(rsp_done_o) && $stable(rsp_transfer_o) && $stable(next_valid_o) &&
              $stable(next_time_o))
endmodule
