// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Channels of a DMA engine that queues have, and the queues that wait, first come, first served.
/// Rules T-DMA-1, T-DMA-6, T-TIM-6. One operation at a time, one response each.
module npu_dma_pool #(
  /// Queues: 8 to 2048, a power of two
  parameter int unsigned Queues = 2048,
  localparam int unsigned QueueWidth = $clog2(Queues),
  localparam int unsigned MaxChannels = 64,
  localparam int unsigned ChannelWidth = 6
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // From the profile; still after reset
  input  logic [ChannelWidth:0]   cfg_channels_i,  // 1 to 64

  // An operation; its operands hold until it is taken
  input  logic                    req_valid_i,
  output logic                    req_ready_o,
  input  logic [1:0]              req_op_i,        // 0 acquire, 1 release, 2 wait, 3 forget
  input  logic [ChannelWidth-1:0] req_channel_i,   // release
  input  logic [QueueWidth-1:0]   req_queue_i,     // wait, forget
  input  logic                    req_seeded_i,    // acquire: choose by the number drawn (T-TIM-6)
  input  logic [63:0]             req_draw_i,

  output logic                    rsp_valid_o,
  input  logic                    rsp_ready_i,
  output logic                    rsp_last_o,      // always: one response each
  output logic                    rsp_found_o,     // acquire: a channel; release: a queue
  output logic [ChannelWidth-1:0] rsp_channel_o,   // acquire
  output logic [QueueWidth-1:0]   rsp_queue_o,     // release: gets the channel, off the list

  output logic [MaxChannels-1:0]  free_o,          // bit set: that channel is free
  output logic                    busy_o           // needs the clock
);
  `NPU_POWER_OF_TWO(Queues, 8, 2048)

  localparam logic [1:0] OpAcquire = 2'd0;
  localparam logic [1:0] OpRelease = 2'd1;
  localparam logic [1:0] OpWait    = 2'd2;

  typedef enum logic [2:0] {
    StIdle,
    StDivide,   // the number drawn, modulo the free channels
    StSkip,     // that many free channels are passed over
    StTake,     // the lowest that is left
    StLink,     // the list is being changed
    StRespond
  } state_e;

  // A place on the list: {valid, queue}.
  typedef logic [QueueWidth:0] place_t;

  state_e state_d, state_q;
  logic [1:0]              op_d, op_q;
  logic [QueueWidth-1:0]   queue_d, queue_q;
  logic [ChannelWidth-1:0] channel_d, channel_q;
  logic                    found_d, found_q;
  logic [MaxChannels-1:0]  taken_d, taken_q;
  logic [MaxChannels-1:0]  free;
  logic [MaxChannels-1:0]  choice_d, choice_q;  // free ones that are not passed over
  place_t                  first_d, first_q, last_d, last_q;
  logic [63:0]             draw_d, draw_q;      // what is left to divide, first digit on top
  logic [ChannelWidth:0]   rest_d, rest_q;      // of the division, then channels to pass over
  logic [5:0]              step_d, step_q;

  logic   list_valid, list_ready, list_done;
  place_t list_first, list_last;

  npu_wait_lists #(.Queues(Queues)) u_lists (
    .clk_i, .rst_ni,
    .start_valid_i (list_valid),
    .start_ready_o (list_ready),
    .start_remove_i(op_q != OpWait),
    .start_sort_i  (1'b0),
    .start_queue_i (queue_q),
    .start_now_i   (64'd0),
    .start_first_i (first_q),
    .start_last_i  (last_q),
    .done_o        (list_done),
    .first_o       (list_first),
    .last_o        (list_last)
  );

  assign free = ~taken_q & ~({MaxChannels{1'b1}} << cfg_channels_i);

  logic [ChannelWidth+1:0] doubled, free_count;
  assign doubled    = {rest_q, draw_q[63]};
  assign free_count = {1'b0, npu_pkg::count(free)};

  logic [MaxChannels-1:0] lowest;
  assign lowest = npu_pkg::lowest(choice_q);

  always_comb begin
    state_d   = state_q;
    op_d      = op_q;
    queue_d   = queue_q;
    channel_d = channel_q;
    found_d   = found_q;
    taken_d   = taken_q;
    choice_d  = choice_q;
    first_d   = first_q;
    last_d    = last_q;
    draw_d    = draw_q;
    rest_d    = rest_q;
    step_d    = step_q;
    list_valid = 1'b0;

    unique case (state_q)
      StIdle: begin
        if (req_valid_i) begin
          op_d     = req_op_i;
          queue_d  = req_queue_i;
          found_d  = 1'b0;
          choice_d = free;
          draw_d   = req_draw_i;
          rest_d   = '0;
          step_d   = '0;
          unique case (req_op_i)
            OpAcquire: begin
              if (free == '0) state_d = StRespond;
              else if (req_seeded_i) state_d = StDivide;
              else state_d = StTake;
            end
            OpRelease: begin                            // T-DMA-6
              taken_d = taken_q & ~(MaxChannels'(1) << req_channel_i);
              queue_d = first_q[QueueWidth-1:0];
              found_d = first_q[QueueWidth];
              state_d = first_q[QueueWidth] ? StLink : StRespond;
            end
            default: state_d = StLink;
          endcase
        end
      end

      StDivide: begin
        rest_d = doubled >= free_count ? (ChannelWidth + 1)'(doubled - free_count)
                                       : doubled[ChannelWidth:0];
        draw_d = draw_q << 1;
        step_d = step_q + 6'd1;
        if (&step_q) state_d = StSkip;
      end

      StSkip: begin
        if (rest_q == '0) begin
          state_d = StTake;
        end else begin
          choice_d = choice_q ^ lowest;
          rest_d   = rest_q - (ChannelWidth + 1)'(1);
        end
      end

      StTake: begin                                     // T-DMA-1
        channel_d = npu_pkg::encode(lowest);
        found_d   = 1'b1;
        taken_d   = taken_q | lowest;
        state_d   = StRespond;
      end

      StLink: begin
        list_valid = list_ready;
        if (list_done) begin
          first_d = list_first;
          last_d  = list_last;
          state_d = StRespond;
        end
      end

      default: if (rsp_ready_i) state_d = StIdle;       // StRespond
    endcase
  end

  assign req_ready_o   = state_q == StIdle;
  assign rsp_valid_o   = state_q == StRespond;
  assign rsp_last_o    = 1'b1;
  assign rsp_found_o   = found_q;
  assign rsp_channel_o = channel_q;
  assign rsp_queue_o   = queue_q;
  assign free_o        = free;
  assign busy_o        = state_q != StIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      {op_q, queue_q, channel_q, found_q, taken_q, choice_q, first_q, last_q, draw_q, rest_q,
       step_q} <= '0;
    end else begin
      state_q   <= state_d;
      op_q      <= op_d;
      queue_q   <= queue_d;
      channel_q <= channel_d;
      found_q   <= found_d;
      taken_q   <= taken_d;
      choice_q  <= choice_d;
      first_q   <= first_d;
      last_q    <= last_d;
      draw_q    <= draw_d;
      rest_q    <= rest_d;
      step_q    <= step_d;
    end
  end

  `NPU_ASSERT(ChannelsLegal, req_valid_i |-> cfg_channels_i >= 7'd1 && cfg_channels_i <= 7'd64)
  // T-DMA-1: no channel that the engine does not have, none released twice.
  `NPU_ASSERT(InRange, state_q == StTake |-> {1'b0, npu_pkg::encode(lowest)} < cfg_channels_i)
  `NPU_ASSERT(TakenOnce, req_valid_i && req_ready_o && req_op_i == OpRelease |->
              taken_q[req_channel_i] && {1'b0, req_channel_i} < cfg_channels_i)
  `NPU_ASSERT(RestFits, state_q == StSkip |-> {1'b0, rest_q} < free_count)
  `NPU_ASSERT(ReqHeld, req_valid_i && !req_ready_o |=> req_valid_i && $stable(req_op_i) &&
              $stable(req_queue_i) && $stable(req_channel_i))
  `NPU_ASSERT(RspHeld, rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_queue_o) &&
              $stable(rsp_found_o) && $stable(rsp_channel_o))

endmodule
