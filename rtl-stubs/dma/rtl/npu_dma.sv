// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Channels that cut transfers into bursts and hand them to the links through one AXI-like port: an
/// address channel, and a response when a burst has passed its last link.
/// Rules T-BST-1, T-BST-2, T-BST-4. One operation at a time, one response each, after the bursts
/// that it lets begin.
module npu_dma #(
  /// Channels: 2 to 4096, a power of two
  parameter int unsigned Channels = 4096,
  localparam int unsigned ChannelWidth = $clog2(Channels)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // From the profile; still after reset
  input  logic [31:0]             cfg_burst_bytes_i,  // never 0
  input  logic [16:0]             cfg_outstanding_i,  // bursts of a transfer under way, never 0

  /// Time in 2^-20 cycles, its low 64 digits, for operations and burst responses alike; never falls
  input  logic [63:0]             now_i,

  // An operation; its operands hold until it is taken
  input  logic                    req_valid_i,
  output logic                    req_ready_o,
  input  logic [1:0]              req_op_i,           // 0 start, 1 cancel, 2 resume
  input  logic [ChannelWidth-1:0] req_channel_i,
  input  logic [63:0]             req_src_i,          // start
  input  logic [63:0]             req_dst_i,          // start
  input  logic [63:0]             req_bytes_i,        // start
  input  logic [63:0]             req_ceiling_i,      // start: bytes per cycle, 48 digits after the
                                                      // point; all ones: none

  // Bursts that begin
  output logic                    ax_valid_o,
  input  logic                    ax_ready_i,
  output logic [ChannelWidth-1:0] ax_id_o,
  output logic [63:0]             ax_src_o,
  output logic [63:0]             ax_dst_o,
  output logic [31:0]             ax_bytes_o,         // never 0
  output logic                    ax_last_o,          // of its transfer

  // A burst has passed its last link; goes before an operation
  input  logic                    b_valid_i,
  output logic                    b_ready_o,
  input  logic [ChannelWidth-1:0] b_id_i,

  // One for each operation and each burst response
  output logic                    rsp_valid_o,
  input  logic                    rsp_ready_i,
  output logic [ChannelWidth-1:0] rsp_channel_o,
  output logic                    rsp_error_o,        // nothing was done: see the page
  output logic                    rsp_done_o,         // burst response: the transfer is complete
  output logic                    rsp_hold_o,         // give it "resume" at the time below
  output logic [63:0]             rsp_hold_at_o,

  output logic                    busy_o              // needs the clock
);
  `NPU_POWER_OF_TWO(Channels, 2, 4096)

  localparam logic [1:0] OpStart  = 2'd0;
  localparam logic [1:0] OpCancel = 2'd1;
  localparam logic [1:0] OpResume = 2'd2;
  localparam logic [1:0] OpPassed = 2'd3;  // a burst response

  typedef enum logic [2:0] {
    StWalk,     // after reset: no channel has a transfer
    StIdle,
    StAct,      // the channel's registers are here
    StPace,     // T-BST-4: how long a burst takes at the ceiling
    StIssue,    // does a burst begin?
    StBurst,    // it waits for the links
    StWrite,    // the channel's registers are written
    StRespond
  } state_e;

  localparam int unsigned UnderWidth = 17;

  state_e state_d, state_q;
  logic [1:0]              op_q;
  logic [ChannelWidth-1:0] channel_d, channel_q;
  logic [63:0]             now_q;
  logic                    error_d, error_q, done_d, done_q, hold_d, hold_q;
  // The transfer of the channel
  logic                    open_d, open_q;
  logic                    capped_d, capped_q;
  logic                    held_d, held_q;        // "resume" is on its way
  logic [UnderWidth-1:0]   under_d, under_q;      // bursts under way
  logic [63:0]             src_d, src_q, dst_d, dst_q, left_d, left_q;
  logic [63:0]             pace_d, pace_q;        // of a burst at the ceiling; before: the ceiling
  logic [63:0]             free_at_d, free_at_q;  // no burst begins before
  logic [ChannelWidth-1:0] walk_q;

  // ---- registers of the channels ----

  localparam int unsigned ControlWidth = UnderWidth + 3;
  logic [ChannelWidth-1:0] raddr, control_waddr;
  logic                    we, control_we;
  logic [ControlWidth-1:0] control_rdata, control_wdata;
  logic [63:0]             src_rdata, dst_rdata, left_rdata, pace_rdata, free_at_rdata;

  npu_ram #(.Width(ControlWidth), .Depth(Channels)) u_control (
    .clk_i, .we_i(control_we), .waddr_i(control_waddr), .wdata_i(control_wdata),
    .raddr_i(raddr), .rdata_o(control_rdata)
  );
  npu_ram #(.Width(64), .Depth(Channels)) u_src (
    .clk_i, .we_i(we), .waddr_i(channel_q), .wdata_i(src_q), .raddr_i(raddr), .rdata_o(src_rdata)
  );
  npu_ram #(.Width(64), .Depth(Channels)) u_dst (
    .clk_i, .we_i(we), .waddr_i(channel_q), .wdata_i(dst_q), .raddr_i(raddr), .rdata_o(dst_rdata)
  );
  npu_ram #(.Width(64), .Depth(Channels)) u_left (
    .clk_i, .we_i(we), .waddr_i(channel_q), .wdata_i(left_q), .raddr_i(raddr), .rdata_o(left_rdata)
  );
  npu_ram #(.Width(64), .Depth(Channels)) u_pace (
    .clk_i, .we_i(we), .waddr_i(channel_q), .wdata_i(pace_q), .raddr_i(raddr), .rdata_o(pace_rdata)
  );
  npu_ram #(.Width(64), .Depth(Channels)) u_free_at (
    .clk_i, .we_i(we), .waddr_i(channel_q), .wdata_i(free_at_q),
    .raddr_i(raddr), .rdata_o(free_at_rdata)
  );

  // ---- the next burst (T-BST-1): all of one size, the last one shorter ----

  logic        burst_last;
  logic [31:0] burst_bytes;  // 0 when nothing is left
  assign burst_last  = left_q <= {32'd0, cfg_burst_bytes_i};
  assign burst_bytes = burst_last ? left_q[31:0] : cfg_burst_bytes_i;

  logic        pace_start, pace_done;
  logic [63:0] pace_time;

  npu_dma_pace u_pacer (
    .clk_i, .rst_ni,
    .start_i(pace_start),
    .bytes_i(cfg_burst_bytes_i),
    .rate_i (pace_q),
    .done_o (pace_done),
    .time_o (pace_time)
  );

  // Which is first shows in the difference: they are less than 2^43 cycles apart.
  logic        before_free;
  logic [62:0] unused_gap;
  assign {before_free, unused_gap} = now_q - free_at_q;

  logic read_open, read_capped, read_held;
  logic [UnderWidth-1:0] read_under;
  assign {read_open, read_capped, read_held, read_under} = control_rdata;

  always_comb begin
    state_d   = state_q;
    channel_d = channel_q;
    error_d   = error_q;
    done_d    = done_q;
    hold_d    = hold_q;
    open_d    = open_q;
    capped_d  = capped_q;
    held_d    = held_q;
    under_d   = under_q;
    src_d     = src_q;
    dst_d     = dst_q;
    left_d    = left_q;
    pace_d    = pace_q;
    free_at_d = free_at_q;

    raddr         = channel_q;
    we            = 1'b0;
    control_we    = 1'b0;
    control_waddr = channel_q;
    control_wdata = {open_q, capped_q, held_q, under_q};
    pace_start    = 1'b0;

    unique case (state_q)
      StWalk: begin
        control_we    = 1'b1;
        control_waddr = walk_q;
        control_wdata = '0;
        if (&walk_q) state_d = StIdle;
      end

      StIdle: begin
        raddr = b_valid_i ? b_id_i : req_channel_i;
        if (b_valid_i || req_valid_i) begin
          channel_d = raddr;
          done_d    = 1'b0;
          hold_d    = 1'b0;
          // Of a start; else what the memories hold takes their place.
          src_d     = req_src_i;
          dst_d     = req_dst_i;
          left_d    = req_bytes_i;
          pace_d    = req_ceiling_i;
          free_at_d = now_i;
          error_d   = !b_valid_i && req_op_i == OpPassed;
          state_d   = error_d ? StRespond : StAct;
        end
      end

      StAct: begin
        open_d   = read_open;
        capped_d = read_capped;
        held_d   = read_held;
        under_d  = read_under;
        if (op_q != OpStart) begin
          src_d     = src_rdata;
          dst_d     = dst_rdata;
          left_d    = left_rdata;
          pace_d    = pace_rdata;
          free_at_d = free_at_rdata;
        end
        // A start finds the channel free and has bytes; all others find a transfer.
        error_d = (op_q == OpStart) == read_open || (op_q == OpStart && left_q == '0) ||
                  (op_q == OpPassed && read_under == '0) || (op_q == OpResume && !read_held);
        state_d = StIssue;
        if (error_d) begin
          state_d = StRespond;
        end else begin
          unique case (op_q)
            OpStart: begin
              open_d   = 1'b1;
              capped_d = !(&pace_q);
              held_d   = 1'b0;
              under_d  = '0;
              if (capped_d) begin
                pace_start = 1'b1;
                state_d    = StPace;
              end
            end
            OpCancel: begin
              open_d  = 1'b0;
              state_d = StWrite;
            end
            OpResume: held_d = 1'b0;
            default: begin  // OpPassed
              under_d = read_under - UnderWidth'(1);
              if (under_d == '0 && left_rdata == '0) begin
                done_d  = 1'b1;
                open_d  = 1'b0;
                state_d = StWrite;
              end
            end
          endcase
        end
      end

      StPace: begin
        if (pace_done) begin
          pace_d  = pace_time;
          state_d = StIssue;
        end
      end

      StIssue: begin
        state_d = StWrite;
        if (left_q != '0 && under_q < cfg_outstanding_i) begin     // T-BST-2
          if (!capped_q || !before_free) begin
            state_d = StBurst;
          end else begin                                           // T-BST-4
            hold_d = !held_q;
            held_d = 1'b1;
          end
        end
      end

      StBurst: begin
        if (ax_ready_i) begin
          src_d   = src_q + {32'd0, burst_bytes};
          dst_d   = dst_q + {32'd0, burst_bytes};
          left_d  = left_q - {32'd0, burst_bytes};
          under_d = under_q + UnderWidth'(1);
          if (capped_q) free_at_d = now_q + pace_q;
          state_d = StIssue;
        end
      end

      StWrite: begin
        we         = 1'b1;
        control_we = 1'b1;
        state_d    = StRespond;
      end

      default: if (rsp_ready_i) state_d = StIdle;                  // StRespond
    endcase
  end

  assign req_ready_o   = state_q == StIdle && !b_valid_i;
  assign b_ready_o     = state_q == StIdle;
  assign ax_valid_o    = state_q == StBurst;
  assign ax_id_o       = channel_q;
  assign ax_src_o      = src_q;
  assign ax_dst_o      = dst_q;
  assign ax_bytes_o    = burst_bytes;
  assign ax_last_o     = burst_last;
  assign rsp_valid_o   = state_q == StRespond;
  assign rsp_channel_o = channel_q;
  assign rsp_error_o   = error_q;
  assign rsp_done_o    = done_q;
  assign rsp_hold_o    = hold_q;
  assign rsp_hold_at_o = free_at_q;
  assign busy_o        = state_q != StIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StWalk;
      {op_q, channel_q, now_q, error_q, done_q, hold_q, open_q, capped_q, held_q, under_q, src_q,
       dst_q, left_q, pace_q, free_at_q, walk_q} <= '0;
    end else begin
      state_q   <= state_d;
      channel_q <= channel_d;
      error_q   <= error_d;
      done_q    <= done_d;
      hold_q    <= hold_d;
      open_q    <= open_d;
      capped_q  <= capped_d;
      held_q    <= held_d;
      under_q   <= under_d;
      src_q     <= src_d;
      dst_q     <= dst_d;
      left_q    <= left_d;
      pace_q    <= pace_d;
      free_at_q <= free_at_d;
      if (state_q == StWalk) walk_q <= walk_q + ChannelWidth'(1);
      if (state_q == StIdle && (b_valid_i || req_valid_i)) begin
        op_q  <= b_valid_i ? OpPassed : req_op_i;
        now_q <= now_i;
      end
    end
  end

  `NPU_ASSERT(BurstSizeLegal, state_q == StAct |-> cfg_burst_bytes_i != '0)
  `NPU_ASSERT(OutstandingLegal, state_q == StAct |-> cfg_outstanding_i != '0)
  // T-BST-1: no burst is empty or too long. T-BST-2: never too many.
  `NPU_ASSERT(BurstNotEmpty, ax_valid_o |-> ax_bytes_o != '0 && ax_bytes_o <= cfg_burst_bytes_i)
  `NPU_ASSERT(UnderWayFits, ax_valid_o |-> under_q < cfg_outstanding_i)
  `NPU_ASSERT(BurstHeld, ax_valid_o && !ax_ready_i |=> ax_valid_o && $stable(ax_id_o) &&
              $stable(ax_src_o) && $stable(ax_dst_o) && $stable(ax_bytes_o) && $stable(ax_last_o))
  `NPU_ASSERT(RspHeld, rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_channel_o) &&
              $stable(rsp_done_o) && $stable(rsp_hold_o) && $stable(rsp_hold_at_o))

endmodule
